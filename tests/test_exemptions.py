"""Skips, ignores and exemptions: each is listed, still needed, and looked at once a year."""

from __future__ import annotations

import json
import subprocess
import sys
import tomllib
from datetime import date, timedelta
from pathlib import Path

import pytest
from small_guides import edit

from gpu_guide import ROOT
from gpu_guide.exemptions import YEAR, check, let_off, load
from gpu_guide.problems import GuideError
from gpu_guide.project import HERE, Project

FILE = HERE.exemptions.name
SINCE = date(2026, 11, 22)
ENTRY = "- file: tests/test_x.py\n  what: '{what}'\n  why: It needs one.\n  since: 2026-11-22\n"
LINE = "@pytest.mark.skipif(True)"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A project with one skip, which is listed."""
    (tmp_path / "tests").mkdir()
    (tmp_path / "tests" / "test_x.py").write_text(f"{LINE}\ndef test(): ...\n", encoding="utf-8")
    (tmp_path / FILE).write_text(ENTRY.format(what=LINE), encoding="utf-8")
    return tmp_path


def told(root: Path, today: date = SINCE) -> list[str]:
    return [
        str(problem).replace(f"{root.as_posix()}/", "") for problem in check(Project(root), today)
    ]


@pytest.mark.slow
def test_every_exemption_of_the_project_is_listed_and_needed() -> None:
    assert not (found := [str(problem) for problem in check(HERE)]), "\n".join(found)


def test_what_is_listed_and_there_is_no_problem(root: Path) -> None:
    assert told(root) == [] == told(root, SINCE + YEAR)


@pytest.mark.parametrize(
    "line",
    [
        "import os  # noqa: F401",
        "x = 1  # type: ignore",
        "x = [1]  # fmt: skip",
        "pytest.skip('not here')",
        "@pytest.mark.xfail(reason='broken')",
        "torch = pytest.importorskip('torch')",
    ],
)
def test_what_is_not_listed_is_told(root: Path, line: str) -> None:
    with (root / "tests" / "test_x.py").open("a", encoding="utf-8") as file:
        file.write(f"{line}\n")
    (problem,) = told(root)
    assert problem.startswith(f"tests/test_x.py:3: an exemption that is not listed: {line}")


def test_a_text_about_an_exemption_is_none(root: Path) -> None:
    with (root / "tests" / "test_x.py").open("a", encoding="utf-8") as file:
        file.write('x = "# noqa"\n')
    assert told(root) == []


def test_what_is_no_longer_needed_is_told(root: Path) -> None:
    (root / "tests" / "test_x.py").write_text("def test(): ...\n", encoding="utf-8")
    (problem,) = told(root)
    assert problem.startswith(f"{FILE}:1: tests/test_x.py has no") and "delete" in problem


def test_what_is_older_than_a_year_is_told(root: Path) -> None:
    (problem,) = told(root, SINCE + YEAR + timedelta(days=1))
    assert "older than a year" in problem and "today's date" in problem


def test_a_snippet_rule_that_is_kept_is_no_longer_let_off(root: Path) -> None:
    path = root / "snippets" / "multi_gpu" / "x.py"
    path.parent.mkdir(parents=True)
    entry = ENTRY.format(what="placement: x = torch.ones").replace(
        "tests/test_x", "snippets/multi_gpu/x"
    )
    with (root / FILE).open("a", encoding="utf-8") as file:
        file.write(entry)
    path.write_text('"""x"""\n# needs: torchrun:2\nx = torch.ones(1)\n', encoding="utf-8")
    assert told(root) == [] and let_off(Project(root), "placement") == {
        "multi_gpu/x": {"x = torch.ones"}
    }
    path.write_text('"""x"""\n# needs: torchrun:2\nx = torch.ones(1, device=device)\n', "utf-8")
    assert "has no 'placement: x = torch.ones' any more" in told(root)[0]


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ("  why: It needs one.\n", "", "why: missing"),
        ("2026-11-22", "yesterday", "since: 'yesterday' is not a date"),
        ("  why:", "  who: me\n  why:", "unknown key 'who'"),
    ],
)
def test_a_malformed_list_is_refused(root: Path, old: str, new: str, says: str) -> None:
    edit(root / FILE, old, new, -1)
    with pytest.raises(GuideError, match=rf"{FILE}:1: {says}"):
        load(root / FILE)


def test_an_entry_stands_once(root: Path) -> None:
    (root / FILE).write_text(2 * ENTRY.format(what=LINE), encoding="utf-8")
    with pytest.raises(GuideError, match="again"):
        load(root / FILE)


def ruff(folders: list[str], rules: set[str]) -> set[str]:
    """The rules among `rules` that ruff finds broken in these folders."""
    program = Path(sys.executable).parent / "ruff"
    command = [str(program), "check", "--isolated", "--no-cache", "--output-format", "json"]
    command += ["--select", ",".join(sorted(rules)), *folders]
    run = subprocess.run(command, cwd=ROOT, capture_output=True, encoding="utf-8", check=False)
    return {one["code"] for one in json.loads(run.stdout)}


def test_each_rule_that_ruff_leaves_out_would_be_broken() -> None:
    lint = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["ruff"]["lint"]
    labs = tomllib.loads((ROOT / "labs" / "ruff.toml").read_text("utf-8"))["lint"]["extend-ignore"]
    everywhere = set(lint["ignore"])
    assert ruff(["snippets", "labs", "gpu_guide", "tests"], everywhere) == everywhere
    assert ruff(["labs"], set(labs)) == set(labs)
    for files, rules in lint.get("per-file-ignores", {}).items():
        assert ruff([files.removesuffix("/**")], set(rules)) == set(rules)


def test_each_rule_that_rumdl_leaves_out_would_be_broken() -> None:
    settings = tomllib.loads((ROOT / "rumdl.toml").read_text(encoding="utf-8"))
    program = Path(sys.executable).parent / "rumdl"
    for rule in settings["global"]["disable"]:
        command = [str(program), "check", "--no-cache", "--no-config", "--enable", rule]
        command += ["--output-format", "json", "docs", "README.md"]
        run = subprocess.run(command, cwd=ROOT, capture_output=True, encoding="utf-8", check=False)
        assert f'"{rule}"' in run.stdout, rule
