"""Cells of labs that the reader writes: what stands there, what runs, what wrong lines are told.

The wrong lines are in tests/data/lab_attempts.yml.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from small_guides import begin
from test_labs import NAMES, edit, kinds, made, problems, read, readable, small_guide

from gpu_guide import ROOT, fast_yaml
from gpu_guide.labs import notebook
from gpu_guide.labs.exercise import leaning
from gpu_guide.labs.run import run
from gpu_guide.labs.source import Cell, Lab, load_labs
from gpu_guide.project import HERE, Project
from gpu_guide.render.cells import cell as cell_html
from gpu_guide.render.words import Words

STUB = "raise NotImplementedError"
SOLVED = """### BEGIN SOLUTION
two = 2
### END SOLUTION
assert two == 2, "not 2"
print(two)"""
MAX_LINES = 6


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    return small_guide(tmp_path)


def exercises(lab: Lab) -> dict[str, Cell]:
    return {cell.id: cell for cell in lab.cells if cell.exercise}


def attempts(lab: Lab) -> dict[str, list[dict[str, str]]]:
    """By cell, what readers write there, and what they are told."""
    found = fast_yaml.load((ROOT / "tests/data/lab_attempts.yml").read_text(encoding="utf-8"))
    return {name.split("/")[1]: tried for name, tried in found.items() if name.startswith(lab.name)}


@pytest.mark.parametrize("name", NAMES)
def test_each_lab_leaves_two_cells_to_the_reader(name: str) -> None:
    lab = load_labs(HERE)[name]
    found = exercises(lab)
    assert len(found) >= 2
    for cell in found.values():
        assert len(cell.exercise.solution(cell.code).split("\n")) <= MAX_LINES, cell.id
    assert attempts(lab).keys() == found.keys()
    for lang in HERE.languages:
        cells = notebook.code_cells(read(lang, name))
        for identity in found:
            source = "".join(cells[identity]["source"])
            assert source.count(STUB) == 1 and f"# {Words(lang)('your_code')}\n" in source
            assert cells[identity]["outputs"] == []
            assert "raises-exception" in cells[identity]["metadata"]["tags"]


@pytest.mark.lab
@pytest.mark.parametrize("name", NAMES)
def test_wrong_lines_are_told_and_all_else_shows_what_the_notebooks_say(name: str) -> None:
    """On the CPU, in a kernel of this Python, as a reader runs the lab who solves nothing; and what
    each solution shows where it stands. What a cell measures is not compared."""
    import torch

    lab, tried = load_labs(HERE)[name], attempts(load_labs(HERE)[name])
    lines = {cell: [STUB, *(one["attempt"] for one in ones)] for cell, ones in tried.items()}
    shown = run(lab, gpus=False, attempts=lines)
    for cell, ones in tried.items():
        assert failure(shown[f"{cell}-0"]).startswith("NotImplementedError")
        for number, one in enumerate(ones, 1):
            told = failure(shown[f"{cell}-{number}"])
            kind = "ValueError" if one["says"] == "ValueError" else "AssertionError"
            assert told.startswith(kind) and one["says"] in told, (cell, one["attempt"], told)
    if torch.accelerator.is_available() and not torch.cuda.is_available():
        pytest.skip(f"ran, but on {torch.accelerator.current_accelerator()}: not compared")
    known = notebook.outputs(read("en", name))
    for cell in lab.cells:
        if not cell.measures:
            assert readable(shown[cell.id]) == readable(known[cell.id]), cell.id
        assert kinds(shown[cell.id]) == kinds(known[cell.id]), cell.id


@pytest.mark.lab
def test_a_solution_leaves_no_name_to_the_cells_after_it(tree: Path) -> None:
    """Where attempts stand in its place: so a cell that leans on it fails, as it does for readers
    who solve nothing."""
    edit(tree / "labs/small.py", "print(1)", f"one = 1\n\n# %% solved\n{SOLVED}\none = 2")
    edit(tree / "labs/small.py", "\nprint(2)", "\nprint(one, 'two' in globals())")
    lab = load_labs(Project(tree))["small"]
    for tried, said in (({"solved": [STUB]}, "1 False"), ({}, "2 True")):
        shown = run(lab, gpus=False, attempts=tried)
        assert readable(shown["solved"]) == ["2\n"]
        assert readable(shown["two"]) == [f"{said}\n"]


WORKERS = """# minutes: 1
# colab: yes

# %% aborts file=aborts.py
import os


class Late:
    def __del__(self, abort=os.abort):
        abort()


late = Late()
print("done")

# %% fails file=fails.py
print(1 / 0)

# %% workers
import os
import subprocess
import sys
from pathlib import Path

worker = os.environ | {"TORCHELASTIC_RUN_ID": "1"}
for name in ("aborts.py", "fails.py"):
    command = [sys.executable, name]
    ended = subprocess.run(command, env=worker, capture_output=True, text=True)
    print(ended.returncode, ended.stdout.strip(), ended.stderr.strip()[-16:])
    Path(name).unlink()
"""


@pytest.mark.lab
def test_what_a_worker_does_after_its_last_line_is_not_shown(tmp_path: Path) -> None:
    """As gloo's threads do, now and then, which abort. An error in it is, as ever."""
    begin(tmp_path, files={"labs/workers.py": WORKERS})
    shown = run(load_labs(Project(tmp_path))["workers"], gpus=False)
    assert "".join(shown["workers"][0]["text"]).split("\n")[:2] == [
        "0 done ",
        "1  division by zero",
    ]


def failure(outputs: list[notebook.Output]) -> str:
    """The error with which the cell ended, or nothing."""
    last: dict[str, Any] = outputs[-1] if outputs else {}
    return f"{last['ename']}: {last['evalue']}" if last.get("output_type") == "error" else ""


def test_the_solution_runs_and_the_notebook_has_it_folded(tree: Path) -> None:
    edit(tree / "labs/small.py", "print(2)", SOLVED)
    (lab,) = load_labs(Project(tree)).values()
    assert lab.cell("two").code == 'two = 2\nassert two == 2, "not 2"\nprint(two)'
    made(tree, {"two": [{"output_type": "stream", "name": "stdout", "text": ["2\n"]}]})
    assert problems(tree) == []
    for lang, hint, title in (("zh", "在这里写", "参考答案"), ("en", "your code", "Solution")):
        found = notebook.read(notebook.path_of(Project(tree), lang, "small"))
        stub, folded = ("".join(cell["source"]) for cell in found["cells"][-2:])
        assert re.fullmatch(rf'# {hint}.*\n{STUB}\nassert two == 2, "not 2"\nprint\(two\)', stub)
        assert f"<summary>{title}</summary>\n\n```python\ntwo = 2\n```\n" in folded
        assert "```text\n2\n```" in folded
        assert notebook.sha256(found) == lab.sha256
        assert "<details>" not in notebook.page_markdown(found)
        html = cell_html(found, "two", Words(lang), [], 2)
        outside, inside = html.split("<details")
        assert "NotImplementedError" in outside and "cell__output" not in outside
        assert "NotImplementedError" not in inside and '<pre class="cell__text">2\n' in inside


def test_links_in_a_solution_are_code(tree: Path) -> None:
    edit(tree / "labs/small.py", "print(2)", SOLVED.replace("two = 2", "two = [int][0](2)"))
    made(tree, {})
    found = notebook.read(notebook.path_of(Project(tree), "en", "small"))
    copy = notebook.with_links(found, lambda link: f"SITE({link})")
    assert "SITE" not in notebook.dumps(copy)


def test_a_cell_that_uses_what_the_reader_writes_is_told(tree: Path) -> None:
    edit(tree / "labs/small.py", "print(1)", SOLVED)
    edit(tree / "labs/small.py", "# %% two\nprint(2)", "# %% two\nprint(two)")
    made(tree, {})
    assert problems(tree) == [
        "labs/small.py:11: cell 'two' uses 'two', which the reader writes in 'one' — "
        "take another name, or define it here"
    ]


@pytest.mark.parametrize(
    ("later", "told"),
    [
        ("print(x)", ["x"]),
        ("def g():\n    return f(x)", ["f", "x"]),
        ("y = [x for _ in range(3)]", ["x"]),
        ("x = 1\nprint(x)", []),
        ("def g(x):\n    return x", []),
        ("print(y)", []),
        ("%%writefile x.py\nprint(x)", []),
    ],
)
def test_what_counts_as_use(later: str, told: list[str]) -> None:
    cells = {"a": ("def f(y):\n    z = y\n    return z\nx = f(1)", True), "b": (later, False)}
    assert [name for _, _, name in leaning(cells)] == told
    cells = {"a": cells["a"], "given": ("x, f = 1, print", False), "b": (later, False)}
    assert list(leaning(cells)) == []
