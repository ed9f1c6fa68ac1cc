"""Running a lab's code, its pictures, and the notebook as a page: small labs, planted faults."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from small_guides import begin

from gpu_guide.labs import command, notebook, text
from gpu_guide.labs.records import LabRecord, LabRun, load_lab_records
from gpu_guide.labs.records import write as write_record
from gpu_guide.labs.run import run
from gpu_guide.labs.source import Lab, load_labs, parse
from gpu_guide.labs.svg import SvgError, inline, tidy
from gpu_guide.problems import GuideError
from gpu_guide.project import HERE, Project
from gpu_guide.render.words import Words
from gpu_guide.run.machine import Environment

GPU = Environment("gpu-x", "GPU X", 1, "600.1", "13.0", "2.13.0", "3.12.1", "Linux", "2026-11-01")


def lab_of(folder: Path, *cells: str) -> Lab:
    """A lab of these cells, called c1, c2, …"""
    code = "".join(f"# %% c{number}\n{cell}\n\n" for number, cell in enumerate(cells, 1))
    guide = begin(folder, files={"labs/small.py": f"# minutes: 1\n# colab: no\n\n{code}"})
    return parse(guide.labs / "small.py", guide)


def stream(text: str, name: str = "stdout") -> notebook.Output:
    return {"output_type": "stream", "name": name, "text": text.splitlines(keepends=True)}


# --- running -------------------------------------------------------------------------------------


@pytest.mark.lab
def test_what_is_kept_of_a_run(tmp_path: Path) -> None:
    lab = lab_of(
        tmp_path,
        "import sys\nprint('one')\nprint('two')\nprint('three', file=sys.stderr)",
        "for n in range(3):\n    print(f'\\r{n} of 2', end='')\nprint()",
        "from IPython.display import ProgressBar\nfor _ in ProgressBar(3):\n    pass",
        "1 + 1",
        "import os\nfrom pathlib import Path\n"
        "print(os.environ['CUDA_VISIBLE_DEVICES'] == '-1', list(Path().iterdir()))",
        "x = 1",
    )
    shown = run(lab, gpus=False)
    assert shown == {
        "c1": [stream("one\ntwo\n"), stream("three\n", "stderr")],
        "c2": [stream("2 of 2\n")],
        "c3": [],
        "c4": [{"output_type": "display_data", "data": {"text/plain": ["2"]}, "metadata": {}}],
        "c5": [stream("True []\n")],
        "c6": [],
    }


@pytest.mark.lab
@pytest.mark.parametrize(
    ("cell", "says"),
    [
        ("raise KeyError('x')", "cell 'c2' raised KeyError: 'x'"),
        ("open('left.txt', 'w').close()", "leaves left.txt"),
        ("while True:\n    pass", "cell 'c2': CellTimeoutError"),
        ("import os\nos._exit(3)", "cell 'c2': DeadKernelError"),
        ("from IPython.display import HTML\nHTML('<b>x</b>')", "shows text/html, text/plain"),
    ],
)
def test_a_cell_that_goes_wrong_is_named(tmp_path: Path, cell: str, says: str) -> None:
    lab = lab_of(tmp_path, "print(1)", cell)
    with pytest.raises(GuideError) as error:
        run(lab, gpus=False, seconds_per_cell=3)
    assert f"small.py:7: {says}" in str(error.value)


# --- pictures ------------------------------------------------------------------------------------

DRAW = """import matplotlib.pyplot as plt
plt.plot([3, 1, 2], marker="o")
plt.scatter([0, 1, 2], [1, 2, 3])
plt.xlabel("step")
plt.show()"""


@pytest.mark.lab
def test_pictures_are_the_same_each_time_small_and_the_pages_own(tmp_path: Path) -> None:
    lab = lab_of(tmp_path, DRAW, DRAW)
    one, two = (shown[0]["data"]["image/svg+xml"] for shown in run(lab, gpus=False).values())
    assert one == two
    svg = "".join(one)
    assert tidy(svg) == svg
    assert len(svg) < 10_000
    assert not re.search(r"metadata|DOCTYPE|xlink|font-family|<style|figure_1", svg)
    assert 'style="fill: #ffffff"' in svg
    pages = [inline(svg, prefix, "a line & points") for prefix in ("a", "b")]
    ids = [set(re.findall(r' id="([^"]+)"', page)) for page in pages]
    assert ids[0] and not ids[0] & ids[1]
    for page, known in zip(pages, ids, strict=True):
        assert set(re.findall(r'(?:url\(|href=")#([\w-]+)', page)) == known
        assert 'role="img" aria-label="a line &amp; points"' in page
        assert "--md-default-bg-color" not in page
        assert "#1f77b4" not in page and "#000000" not in page
        assert "currentColor" in page and ">step</text>" in page


@pytest.mark.parametrize("text", ["<svg", "<html/>", "<svg/>"])
def test_what_is_no_picture_is_refused(text: str) -> None:
    with pytest.raises(SvgError, match="not SVG"):
        tidy(text)


# --- the notebook as a page ----------------------------------------------------------------------

TEXT = """---
title: A title
description: "What: it is"
twin: abc
---

# A title

First [page](../memory/leaks.md#losses), [stream](term:stream), [outside](https://e.org/x.md),
[here](#two).

```cell
small/c1
alt: what is to be seen
```

```bash
# not a heading
```

## Two { #two }

Text.

```cell
small/c2
```
"""


@pytest.fixture
def made(tmp_path: Path) -> notebook.Notebook:
    lab = lab_of(tmp_path, "print(1)", "print(2)")
    guide = begin(tmp_path, files={"docs/en/labs/small.md": TEXT})
    shown = {"c1": [stream("1\n")]}
    return notebook.make(lab, text.read(guide, "en", "small"), shown, Words("en"))


def test_the_notebook_has_plain_markdown_and_the_page_its_ids_back(made: notebook.Notebook) -> None:
    sources = ["".join(cell["source"]) for cell in made["cells"]]
    assert [source.split("\n")[0] for source in sources] == [
        "# A title",
        "print(1)",
        "```bash",
        "## Two",
        "print(2)",
    ]
    assert made["metadata"]["guide"] == {
        "lab": "small",
        "title": "A title",
        "description": "What: it is",
    }
    page = notebook.page_markdown(made)
    expected = TEXT.replace("twin: abc\n", "").replace("alt: what is to be seen\n", "")
    expected = expected.replace('"What: it is"', "'What: it is'")
    assert page == expected.replace("# A title\n", "# A title\n\n```lab\nsmall\n```\n", 1)


def test_links_of_a_download_lead_to_the_site(made: notebook.Notebook) -> None:
    copy = notebook.with_links(made, lambda link: f"SITE({link})")
    text = "".join(copy["cells"][0]["source"])
    assert "[page](SITE(../memory/leaks.md)#losses)" in text
    assert "[stream](SITE(../reference/glossary.md)#stream)" in text
    assert "(https://e.org/x.md)" in text and "(#two)" in text
    assert "SITE" not in notebook.dumps(made)


@pytest.mark.parametrize("content", ["", "[]", "{}", '{"cells": [], "metadata": {}}', None])
def test_what_is_no_notebook_of_the_guide_is_named(tmp_path: Path, content: str | None) -> None:
    path = tmp_path / "x.ipynb"
    if content is not None:
        path.write_text(content, encoding="utf-8")
    with pytest.raises(GuideError, match=r"x\.ipynb:1: .*`make lab name=x`"):
        notebook.read(path)


# --- the command ---------------------------------------------------------------------------------


def test_a_lab_is_run_again_only_when_its_code_changes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    runs: list[str] = []

    def pretend(lab: Lab, **_: object) -> dict[str, list[notebook.Output]]:
        runs.append(lab.sha256)
        return {cell.id: [stream(f"{len(runs)}\n")] for cell in lab.cells}

    monkeypatch.setattr(command, "run", pretend)
    lab_of(tmp_path, "print(1)", "print(2)")
    texts = {f"docs/{lang}/labs/small.md": TEXT for lang in HERE.languages}
    guide = begin(tmp_path, files=texts)
    path = text.path_of(guide, "en", "small")
    said: list[str] = []

    def make(**options: bool) -> notebook.Notebook:
        places = {"project": guide, "words": Words, "say": said.append}
        assert command.lab(["small"], **places, **options) == 0
        return notebook.read(notebook.path_of(guide, "en", "small"))

    first = make()
    path.write_text(TEXT.replace("Text.", "Other."), encoding="utf-8")
    second = make()
    assert len(runs) == 1 and "the same code" in said[-1]
    assert "Other." in notebook.dumps(second)
    assert notebook.outputs(second) == notebook.outputs(first)
    assert notebook.outputs(make(again=True))["c1"] == [stream("2\n")]
    lab_of(tmp_path, "print(1)", "print(3)")
    assert notebook.outputs(make())["c1"] == [stream("3\n")]
    assert command.lab(["smal"], project=guide, words=Words, say=said.append) == 1
    assert "no such lab — there are: small" in said[-1]


def test_a_lab_in_one_language_has_one_notebook(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    runs: list[str] = []
    monkeypatch.setattr(command, "run", lambda lab, **_: runs.append(lab.name) or {})
    lab_of(tmp_path, "print(1)", "print(2)")
    places = {"project": begin(tmp_path), "words": Words, "say": lambda line: None}
    assert command.lab(["small"], **places) == 1  # without any text
    guide = begin(tmp_path, files={"docs/en/labs/small.md": TEXT})
    for _ in range(2):
        assert command.lab(["small"], **places) == 0
    assert runs == ["small"]
    assert list(tmp_path.rglob("*.ipynb")) == [notebook.path_of(guide, "en", "small")]


def test_a_record_is_written_read_and_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(command, "run", lambda lab, **_: {"c1": [stream("1\n")]})
    lab = lab_of(tmp_path, "print(1)")
    said: list[str] = []
    guide = Project(tmp_path)
    places = {"project": guide, "say": said.append}
    assert command.record([], here=GPU, **places) == 0
    [record] = load_lab_records(guide.lab_records)
    assert record.environment == GPU
    assert record.fresh("small", lab.sha256).outputs == {"c1": [stream("1\n")]}
    assert record.fresh("small", "older") is None
    cpu = Environment("cpu", "", 0, "", "", "2.13.0", "3.12.1", "Linux", "2026-11-01")
    assert command.record([], here=cpu, **places) == 2

    write_record(LabRecord(GPU, {"small": LabRun("x", {"c1": [{}]}, 1.0)}), guide.lab_records)
    with pytest.raises(GuideError, match="outputs: not lists of outputs by cell"):
        load_lab_records(guide.lab_records)


def test_every_lab_is_found(tmp_path: Path) -> None:
    assert load_labs(Project(tmp_path)) == {}
