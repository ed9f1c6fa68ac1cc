"""The guide's own pages have no problems, and rumdl finds none."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from gpu_guide import ROOT
from gpu_guide.pages import structure
from gpu_guide.problems import Problem
from gpu_guide.project import HERE

PAGES = sorted((ROOT / "docs").rglob("*.md"))
MARKDOWN = [*PAGES, *HERE.texts]


def label(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


@pytest.fixture(scope="module")
def problems() -> list[Problem]:
    names = [
        p.relative_to(HERE.snippets).with_suffix("").as_posix() for p in HERE.snippets.rglob("*.py")
    ]
    return structure.check(HERE, names)


@pytest.fixture(scope="module")
def rumdl() -> list[dict]:
    return run_rumdl(*(label(path) for path in MARKDOWN))


def run_rumdl(*files: str) -> list[dict]:
    """What rumdl finds in the files, with the project's settings."""
    # Beside this Python: `python -m rumdl` looks for the binary elsewhere.
    program = shutil.which("rumdl", path=str(Path(sys.executable).parent))
    assert program, "rumdl is missing: pip install -e '.[test]'"
    command = [program, "check", "--no-cache", "--config", str(ROOT / "rumdl.toml")]
    done = subprocess.run(
        [*command, "--output-format", "json", *files],
        cwd=ROOT,
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    assert done.returncode in (0, 1) and done.stdout, done.stderr
    return json.loads(done.stdout)


def test_there_are_pages_in_both_languages() -> None:
    assert {path.relative_to(ROOT / "docs").parts[0] for path in PAGES} >= {"zh", "en"}


@pytest.mark.parametrize("path", PAGES, ids=label)
def test_page(path: Path, problems: list[Problem]) -> None:
    mine = [str(problem) for problem in problems if problem.file == path]
    assert not mine, "\n" + "\n".join(mine)


def test_nothing_is_wrong_beside_the_pages(problems: list[Problem]) -> None:
    """Such as a page that one language lacks, or a snippet that no page shows."""
    others = [str(problem) for problem in problems if problem.file not in PAGES]
    assert not others, "\n" + "\n".join(others)


@pytest.mark.parametrize("path", MARKDOWN, ids=label)
def test_rumdl(path: Path, rumdl: list[dict]) -> None:
    mine = [
        f"{label(path)}:{found['line']}: {found['rule']} {found['message']}"
        for found in rumdl
        if (ROOT / found["file"]).resolve() == path.resolve()
    ]
    assert not mine, "\n" + "\n".join(mine)


def test_rumdl_sees_names_inside_admonitions_and_tabs(tmp_path: Path) -> None:
    file = tmp_path / "page.md"
    note = '!!! note "提示"\n\n    用 pytorch。\n'
    text = f'# 页\n\n{note}\n=== "一"\n\n    用 Pytorch，写 `pytorch`。\n'
    file.write_text(text, encoding="utf-8")
    found = [(one["rule"], one["line"]) for one in run_rumdl(str(file))]
    assert found == [("MD044", 5), ("MD044", 9)]
