"""`make check`: what it tells of a project in which everything is wrong at once."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from small_guides import edit

from gpu_guide import ROOT
from gpu_guide.checks import Report, check
from gpu_guide.cli import main
from gpu_guide.project import HERE, Project

FOLDERS = ("docs", "data", "snippets", "labs", "records")


@pytest.fixture(scope="module")
def copied(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of what is checked: one for all tests, so that each knows what others have read."""
    root = tmp_path_factory.mktemp("project")
    for name in FOLDERS:
        shutil.copytree(ROOT / name, root / name)
    scripts = ("tests/data/dry_run_published", "tests/data/dry_run_measured")
    for name in ("LICENSES", "contributing", *scripts):
        shutil.copytree(ROOT / name, root / name)
    both = ("README", "CONTRIBUTING", "TRANSLATING")
    texts = [f"{text}{ending}.md" for text in both for ending in ("", ".zh")]
    settings = ("mkdocs.yml", "mkdocs.en.yml", "pyproject.toml", "rumdl.toml", "LICENSE")
    for name in (*settings, *texts, "CITATION.cff"):
        shutil.copyfile(ROOT / name, root / name)
    remembered = HERE.cache / "laid_out.txt"
    if remembered.is_file():
        Project(root).cache.mkdir()
        shutil.copyfile(remembered, Project(root).cache / remembered.name)
    return root


@pytest.fixture
def project(copied: Path) -> Iterator[Path]:
    """The copy, to be damaged; it is as it was afterwards."""
    before = {path: path.read_bytes() for path in copied.rglob("*") if path.is_file()}
    yield copied
    for path in [path for path in copied.rglob("*") if path.is_file()]:
        if path not in before:
            path.unlink()
    for path, content in before.items():
        path.write_bytes(content)


def test_the_project_has_no_problems() -> None:
    assert check(HERE).problems == ()


ONLY_TESTS_READ = {"search_queries.yml", "search_trials.yml"}
NEED_OTHERS = {"diagnosis.yml", "fit_peaks.yml", "fit_published.yml", "gpus.yml"}
"""Where one that these need is no YAML, nothing is told of them."""


@pytest.mark.slow
@pytest.mark.parametrize("need_others", [True, False])
def test_each_data_file_that_is_no_yaml_is_told(project: Path, need_others: bool) -> None:
    files = [
        file
        for file in (project / "data").glob("*.yml")
        if (file.name in NEED_OTHERS) is need_others and file.name not in ONLY_TESTS_READ
    ]
    for file in files:
        file.write_bytes(b"a: [\n" + file.read_bytes())
    problems = check(Project(project), tools=False).problems
    told = {file.name for file in files if any(f"data/{file.name}" in one for one in problems)}
    assert told == {file.name for file in files} and len(files) >= len(NEED_OTHERS)


# file, what is replaced by what, what the message says
FAULTS = {
    "a snippet": ("snippets/start/move.py", "import torch", "import (", "move.py:7: not valid"),
    "another": ("snippets/to/leaf.py", "import torch\n", "import flask\n", "imports 'flask'"),
    "a frame": (
        "snippets/multi_gpu/accumulation_communicates.py",
        "device_id=device",
        "device_id=None",
        "not the common frame",
    ),
    "a print": (
        "snippets/speed/graph_replay_speed.py",
        '    print(f"{name:10} {times[name] * 1e6:7.1f} us")\n',
        "",
        "graph_replay_speed.py:35: measures, and prints nothing",
    ),
    "another print": (
        "snippets/multi_gpu/split_takes_turns.py",
        '    print(f"cuda:0 and {last}: {weights:.0f} MiB, {ms[last]:.1f} ms")\n',
        "",
        "split_takes_turns.py:34: measures, and prints nothing",
    ),
    "a heading": ("docs/en/start.md", "\n## ", "\n## New\n\n## ", "docs/en/start.md:"),
    "a fence": ("docs/en/to/copies.md", "```snippet\n", "```Snippet\n", "fence that says 'Snip"),
    "a lab": ("labs/transfers.py", "# minutes: ", "# hours: ", "labs/transfers.py:1: "),
    "another lab": ("labs/first-training.py", "import ", "import flask, ", "imports 'flask'"),
    "plots.yml": ("data/plots.yml", "kind: ", "sort: ", "data/plots.yml:"),
    "wheels.yml": ("data/wheels.yml", "linux: ", "unix: ", "data/wheels.yml:"),
    "machines": ("data/broken_machines.yml", "answer: ", "page: ", "data/broken_machines.yml:"),
    "cards.yml": ("data/cards.yml", "capability: ", "cc: ", "data/cards.yml:"),
    "the glossary": ("data/glossary.yml", "- en: ", "- eng: ", "data/glossary.yml:"),
    "typography": ("docs/zh/start.md", "。\n", ".\n", "docs/zh/start.md:"),
    "a docstring": (
        "snippets/speed/waves.py",
        "    # zh: 每个线程算一个数，每个 SM 上一次只有一个线程块。\n",
        "",
        "a docstring that no page in Chinese",
    ),
    "a comment": ("snippets/to/parameter.py", "。\n", ".\n", "snippets/to/parameter.py:"),
    "settings": ("mkdocs.yml", "site_name: PyTorch GPU 指南", "site_name: PyTorch GPU指南", "Z11"),
    "a readme": ("README.zh.md", "。\n", ".\n", "README.zh.md:"),
    "a record": ("records/cuda-build-no-gpu.json", '"gpus": 0', '"gpus": null', "environment.gpus"),
}


@pytest.mark.slow
def test_every_kind_of_fault_is_told_whatever_else_is_wrong(project: Path) -> None:
    for file, old, new, _ in FAULTS.values():
        edit(project / file, old, new)
    told = "\n".join(check(Project(project), tools=False).problems)
    silent = [name for name, (*_, says) in FAULTS.items() if says not in told]
    assert not silent, told
    assert "no snippet" not in told and "no such lab" not in told  # they are there, if malformed


@pytest.mark.slow
def test_what_one_language_lacks_is_told_and_fails_nothing(project: Path) -> None:
    """A page that is behind, a page and a lab that the other language does not have: their places
    in the navigation, and links to them from the other language, whose site shows a notice."""
    edit(project / "docs" / "en" / "start.md", "\n\n", "\n\nOne more sentence.\n\n")
    text = (
        "---\ntitle: 只有中文的页面\ndescription: 这一页只有中文，用来看检查如何说这件事。\n---\n\n"
        "# 只有中文的页面\n\n正文。\n"
    )
    (project / "docs" / "zh" / "to" / "new.md").write_text(text, encoding="utf-8")
    edit(project / "mkdocs.yml", "- to/copies.md", "- to/copies.md\n      - to/new.md")
    edit(project / "data" / "addresses.yml", "to/copies:\n", "to/copies:\nto/new:\n")
    lab = project / "docs" / "en" / "labs" / "transfers.ipynb"
    lab.unlink()
    lab.with_suffix(".md").unlink()
    edit(project / "mkdocs.en.yml", "      - labs/transfers.ipynb\n", "")
    assert "(transfers.ipynb)" in lab.with_name("index.md").read_text("utf-8")
    chinese = project / "docs" / "zh" / "labs" / "transfers.md"
    chinese.write_text(re.sub(r"twin: .*\n", "", chinese.read_text("utf-8")), encoding="utf-8")

    report = check(Project(project), tools=False)
    assert report.problems == ()
    (behind,) = (notice for notice in report.notices if "docs/zh/start.md" in notice)
    assert "docs/zh/start.md: the other language has changed" in behind and "twin start" in behind
    for page in ("to/new.md", "labs/transfers.md"):
        (alone,) = (notice for notice in report.notices if page in notice)
        assert f"docs/zh/{page}: this page is in 'zh' alone — " in alone


@pytest.mark.slow
def test_what_belongs_to_another_file_is_missed_there(project: Path) -> None:
    """A section that answers, words said of an earlier state, and the text of a notebook."""
    edit(project / "data" / "broken_machines.yml", "#error-802", "#error-82")
    edit(project / "data" / "broken_machines.yml", '"count=803"', '"count=805"')
    (project / "docs" / "en" / "labs" / "transfers.md").unlink()
    report = check(Project(project), tools=False)
    twin, notebook, answer = report.problems
    assert "docs/zh/labs/transfers.md:4: its other half" in twin
    assert "error-802: answer: no section 'answers/check#error-82' — name one" in answer
    assert "docs/en/labs/transfers.ipynb:1: a notebook without a text — " in notebook
    told = [text for text in report.notices if "changed since this was said" in text]
    assert len(told) == 2 and "torch-2.13.0.json: libraries-replaced: " in told[0]


def test_the_command_fails_where_there_is_a_problem(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("gpu_guide.checks.check", lambda project: Report((), ("a notice",)))
    assert main(["check"]) == 0
    said = capsys.readouterr().out
    assert "No problems found." in said and "a notice" in said
    monkeypatch.setattr(
        "gpu_guide.checks.check", lambda project: Report(("data/x.yml:1: wrong",), ())
    )
    assert main(["check"]) == 1 and "data/x.yml:1: wrong" in capsys.readouterr().out
