"""The project's labs: both languages hold the same code, and it shows what the pages say."""

from __future__ import annotations

import json
import os
import re
import sys
from pathlib import Path
from random import Random
from typing import Any

import pytest
from allocator_model import MIB, Allocator
from small_guides import begin, edit

from gpu_guide import ROOT
from gpu_guide.labs import checks as lab_checks
from gpu_guide.labs import notebook
from gpu_guide.labs import text as lab_text
from gpu_guide.labs.checks import check
from gpu_guide.labs.source import Lab, load_labs
from gpu_guide.pages.chinese import check_markdown, check_text
from gpu_guide.problems import GuideError
from gpu_guide.project import HERE, Project
from gpu_guide.render.words import Words
from gpu_guide.snippets.model import HAN, load_snippets

NAMES = (
    "find-the-leak",
    "first-training",
    "largest-batch",
    "see-the-allocator",
    "transfers",
    "two-processes",
)
TEXT = "text/plain"


@pytest.fixture(scope="module")
def labs() -> dict[str, Lab]:
    return load_labs(HERE)


def read(lang: str, name: str) -> notebook.Notebook:
    return notebook.read(notebook.path_of(HERE, lang, name))


def test_the_labs_are_there_and_nothing_is_wrong_with_them(labs: dict[str, Lab]) -> None:
    assert set(labs) == set(NAMES)
    assert [str(problem) for problem in check(HERE, labs, Words)] == []


@pytest.mark.parametrize("name", NAMES)
def test_code_is_the_same_in_both_languages_and_that_of_the_lab(
    name: str, labs: dict[str, Lab]
) -> None:
    code = {cell.id: cell.code for cell in labs[name].cells}
    for lang in HERE.languages:
        assert notebook.sources(read(lang, name)) == code
    assert notebook.outputs(read("zh", name)) == notebook.outputs(read("en", name))


@pytest.mark.parametrize("name", NAMES)
def test_a_notebook_says_nothing_of_the_run_that_made_it(name: str) -> None:
    for lang in HERE.languages:
        found = read(lang, name)
        assert found["metadata"]["language_info"] == {"name": "python"}
        for cell in notebook.code_cells(found).values():
            assert cell["execution_count"] is None
            assert cell["metadata"].keys() <= {"guide", "tags"}
        assert notebook.dumps(found) == notebook.path_of(HERE, lang, name).read_text("utf-8")


@pytest.mark.parametrize("name", NAMES)
def test_notebooks_are_valid(name: str) -> None:
    import nbformat

    for lang in HERE.languages:
        nbformat.validate(nbformat.read(notebook.path_of(HERE, lang, name), as_version=4))


def kinds(outputs: list[notebook.Output]) -> list[str]:
    return [output.get("name") or next(iter(output["data"])) for output in outputs]


def readable(outputs: list[notebook.Output]) -> list[str]:
    """The text: a picture's lines may differ in the last digit."""
    texts = [output.get("text") or output["data"].get(TEXT, []) for output in outputs]
    return ["".join(text) for text in texts]


@pytest.mark.parametrize("name", NAMES)
def test_the_chinese_of_a_notebook(name: str) -> None:
    cells = read("zh", name)["cells"]
    for cell in cells:
        if cell["cell_type"] == "markdown":
            assert check_markdown("".join(cell["source"])) == []
        elif alt := cell["metadata"].get("guide", {}).get("alt"):
            assert HAN.search(alt)
            assert check_text(alt) == []


@pytest.mark.parametrize("name", NAMES)
def test_english_stands_by_itself(name: str) -> None:
    path = notebook.path_of(HERE, "en", name)
    assert not HAN.search(path.read_text(encoding="utf-8"))


def test_code_that_is_a_snippets_is_named_not_copied(labs: dict[str, Lab]) -> None:
    """Eight lines in a row that also stand in a snippet."""
    count = 8

    def runs(code: str) -> set[str]:
        rows = [row.strip() for row in code.split("\n") if row.strip()]
        return {"\n".join(rows[n : n + count]) for n in range(len(rows) - count + 1)}

    known = {row: name for name, s in load_snippets(HERE).items() for row in runs(s.bare_code())}
    for lab in labs.values():
        heads = lab.path.read_text(encoding="utf-8")
        for cell in lab.cells:
            named = re.search(rf"^# %% {cell.id}\b.* snippet=", heads, re.MULTILINE)
            copied = {known[row] for row in runs(cell.code) if row in known}
            assert named or not copied, f"{lab.name}/{cell.id}: write snippet={copied}"


@pytest.mark.parametrize("lang", HERE.languages)
def test_the_index_lists_each_lab_with_its_minutes(lang: str, labs: dict[str, Lab]) -> None:
    index = (HERE.lab_pages(lang) / "index.md").read_text(encoding="utf-8")
    row = re.compile(r"^\| \[[^\]]+\]\(([\w-]+)\.ipynb\) \|.*\| (\d+) [^|]* \|$", re.MULTILINE)
    assert dict(row.findall(index)) == {name: str(lab.minutes) for name, lab in labs.items()}


def code_of(labs: dict[str, Lab], name: str, *cells: str) -> str:
    found = {cell.id: cell.code for cell in labs[name].cells}
    return "\n".join(found[cell] for cell in cells)


def test_the_allocator_of_the_lab_has_the_rules_of_the_real_one(labs: dict[str, Lab]) -> None:
    """As tests/support/allocator_model.py has them, which snippets compare with a GPU."""
    names: dict[str, Any] = {"MiB": MIB, "print": lambda *args: None}
    exec(code_of(labs, "see-the-allocator", "rules", "allocator"), names)
    for seed in range(50):
        random = Random(seed)
        one, two, live = names["Allocator"](), Allocator(), []
        for number in range(60):
            if live and random.random() < 0.45:
                name = live.pop(random.randrange(len(live)))
                one.free(name)
                two.free(name)
            elif random.random() < 0.05:
                one.empty_cache()
                two.empty_cache()
            else:
                live.append(f"t{number}")
                size = int(random.choice([1000, MIB, 10 * MIB, 40 * MIB]) * random.random()) + 1
                one.allocate(live[-1], size)
                two.allocate(live[-1], size)
            assert one.numbers() == (two.allocated, two.reserved), (seed, number)


@pytest.mark.lab
@pytest.mark.skipif(sys.platform == "win32", reason="a signal ends torchrun's processes")
def test_processes_that_hang_are_stopped_and_gone(
    labs: dict[str, Lab], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code = code_of(labs, "two-processes", "setup", "torchrun").replace('torchrun("ranks.py")', "")
    script = tmp_path / "hangs.py"
    script.write_text(
        "import os, sys, time\n"
        "open(sys.argv[0] + os.environ['RANK'], 'w').write(str(os.getpid()))\n"
        "time.sleep(600)\n",
        encoding="utf-8",
    )
    names: dict[str, Any] = {}
    exec(code, names)
    seconds = 5
    while not (pids := [int(file.read_text()) for file in tmp_path.glob("hangs.py[01]")]):
        names["torchrun"](str(script), seconds=seconds)
        seconds *= 2  # the machine is so busy that none had begun
    assert "TimeoutExpired stopped it" in capsys.readouterr().out
    for pid in pids:
        with pytest.raises(ProcessLookupError):
            os.kill(pid, 0)


# --- planted faults ------------------------------------------------------------------------------


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    return small_guide(tmp_path)


def small_guide(root: Path) -> Path:
    """A lab of two cells, its texts and notebooks."""
    name = "snippets/memory/live_tensors.py"
    files = {"labs/small.py": SMALL, name: (ROOT / name).read_text(encoding="utf-8")}
    files |= {f"docs/{lang}/labs/small.md": text for lang, text in TEXTS.items()}
    begin(root, files=files)
    made(root)
    return root


BEGIN, END = "### BEGIN SOLUTION", "### END SOLUTION"
SOLVED = f"{BEGIN}\nx = 2\n{END}\nassert x == 2, 'not 2'"
SMALL = "# minutes: 1\n# colab: yes\n\n# %% one\nprint(1)\n\n# %% two\nprint(2)\n"
TEXTS = {
    lang: f"---\ntitle: {title}\ndescription: D\n---\n\n# {title}\n\n{title}.\n\n"
    "```cell\nsmall/one\n```\n\n## Two { #two }\n\nMore.\n\n```cell\nsmall/two\n```\n"
    for lang, title in {"zh": "小", "en": "Small"}.items()
}


def made(tree: Path, outputs: notebook.Outputs | None = None) -> None:
    lab = load_labs(Project(tree))["small"]
    for lang in HERE.languages:
        text = lab_text.read(Project(tree), lang, "small")
        path = notebook.path_of(Project(tree), lang, "small")
        new = notebook.make(lab, text, outputs or {}, Words(lang))
        path.write_text(notebook.dumps(new), encoding="utf-8")


def problems(tree: Path) -> list[str]:
    found = lab_checks.check(Project(tree), load_labs(Project(tree)), Words)
    return [str(problem).replace(f"{tree.as_posix()}/", "") for problem in found]


def test_a_small_lab_is_in_order(tree: Path) -> None:
    assert problems(tree) == []


@pytest.mark.parametrize(
    ("file", "old", "new", "says"),
    [
        ("labs/small.py", "print(2)", "print(3)", "not the code of"),
        ("docs/en/labs/small.ipynb", "print(2)", "print(4)", "not the code of"),
        ("docs/zh/labs/small.md", "More.", "Less.", "not the text of"),
        ("docs/zh/labs/small.ipynb", "More.", "Less.", "not the text of"),
        ("docs/zh/labs/small.md", "small/two", "small/tow", "no cell small/tow"),
        ("docs/zh/labs/small.md", "small/two", "small/one", "cell 2 is small/one"),
        ("docs/zh/labs/small.md", "small/two", "two", "small.md:18: not a cell"),
        ("docs/zh/labs/small.md", "More.", "!!! note\n\n    More.", "'!!! note' in a lab"),
        ("docs/zh/labs/small.md", "More.", "```snippet\na/b\n```", "a fence of 'snippet'"),
        ("docs/zh/labs/small.md", "More.", "More. { .big }", "an attribute list"),
        ("docs/zh/labs/small.ipynb", '"guide": {', '"guid": {', "not a notebook of the guide"),
    ],
)
def test_a_fault_is_named_with_its_place(
    tree: Path, file: str, old: str, new: str, says: str
) -> None:
    edit(tree / file, old, new, -1)
    found = problems(tree)
    assert any(says in problem for problem in found), found


def test_a_text_without_code_and_code_without_a_text_are_named(tree: Path) -> None:
    (tree / "labs" / "small.py").rename(tree / "labs" / "other.py")
    found = problems(tree)
    assert any("docs/zh/labs/small.md:1: no such lab" in problem for problem in found)
    assert any("docs/en/labs/other.md:1: no such text" in problem for problem in found)


def test_a_picture_without_alt_is_named(tree: Path) -> None:
    for lang in HERE.languages:
        path = notebook.path_of(Project(tree), lang, "small")
        found = json.loads(path.read_text(encoding="utf-8"))
        svg = {"output_type": "display_data", "data": {"image/svg+xml": ["<svg/>"]}, "metadata": {}}
        next(c for c in found["cells"] if c["id"] == "two")["outputs"] = [svg]
        path.write_text(notebook.dumps(found), encoding="utf-8")
    assert [p.split(" — ")[0] for p in problems(tree)] == [
        f"docs/{lang}/labs/small.md:1: no alternative text for the picture of 'two'"
        for lang in HERE.languages
    ]


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ("# minutes: 1", "# minutes: 20", ":1: 20 minutes"),
        ("# colab: yes", "# colab: maybe", ":1: colab: maybe"),
        ("# colab: yes\n", "", ":1: not the facts"),
        ("# colab: yes\n", "# colab: yes\nimport os\n", ":1: something else above"),
        ("# %% two", "# %% one", ":7: a second cell 'one'"),
        ("# %% two", "# %% Two!", ":7: '# %% Two!' names no cell"),
        ("# %% two", "# %% two quick", ":7: 'quick' cannot be used here"),
        ("# %% two", "# %% two snippet=start/create", ":7: 'snippet=start/create' cannot"),
        ("# %% two\nprint(2)", "# %% two snippet=start/none", ":7: no snippet 'start/none'"),
        ("print(2)", "", ":7: cell 'two' is empty"),
        ("print(2)", "print(2", ":8: not Python"),
        ("print(2)", "\nx = 1\nprint(2)  # two", ":10: a comment: # two"),
        ("print(2)", "print('二')", ":8: not ASCII"),
        ("print(2)", f"print('{'x' * 80}')", ":8: 89 columns wide"),
        ("print(2)", "import gpu_guide", ":8: imports 'gpu_guide'"),
        ("print(2)", f"{BEGIN}\nx = 2", ":8: the marks of a solution: BEGIN —"),
        ("print(2)", f"x = 2\n{END}", ":9: the marks of a solution: END —"),
        ("print(2)", f"{END}\nx = 2\n{BEGIN}", ":8: the marks of a solution: END, BEGIN —"),
        ("print(2)", f"{BEGIN}\nx = 2\n{END}\n" * 2, ":8: the marks of a solution: BEGIN, END, "),
        ("print(2)", f"{BEGIN}\n{END}\nassert 1, 'x'", ":8: no solution right after its mark"),
        ("print(2)", f"{BEGIN}\nx = 2\n{END}", ":10: a solution that nothing asserts"),
        ("print(2)", f"{BEGIN}\nx = 2\n{END}\nassert x", ":10: a solution that nothing asserts"),
        ("print(2)", f"assert 1, 'x'\n{BEGIN}\nx = 2\n{END}", ":11: a solution that nothing"),
        ("print(2)", f"{BEGIN}\nx = 2\n# {END}\nprint(x)", ":10: a comment"),
        ("# %% two\nprint(2)", f"# %% two file=t.py\n{SOLVED}", ":7: a solution in a file"),
        ("print(2)", "from . import x", ":8: imports '.'"),
        (SMALL, "print(1)\n", ":1: no cells"),
    ],
)
def test_malformed_code_is_named_with_its_line(tree: Path, old: str, new: str, says: str) -> None:
    edit(tree / "labs" / "small.py", old, new, -1)
    with pytest.raises(GuideError) as error:
        load_labs(Project(tree))
    assert f"small.py{says}" in str(error.value)
    assert " — " in str(error.value)


def test_a_cell_can_be_a_snippet_or_write_a_file(tree: Path) -> None:
    edit(tree / "labs" / "small.py", "# %% one\nprint(1)", "# %% one snippet=memory/live_tensors")
    edit(tree / "labs" / "small.py", "# %% two", "# %% two file=two.py")
    one, two = load_labs(Project(tree))["small"].cells
    snippet = load_snippets(HERE)["memory/live_tensors"]
    assert one.code == snippet.bare_code()
    assert "#" not in one.code and one.code.startswith("import gc")
    assert two.code == "%%writefile two.py\nprint(2)"
