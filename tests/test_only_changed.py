"""What `make stand-in` leaves out: only what passed within a week on the very same inputs."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from datetime import date
from pathlib import Path
from types import SimpleNamespace

import pytest
from small_guides import begin

from gpu_guide import ROOT, only_changed
from gpu_guide.only_changed import Inputs
from gpu_guide.project import Project
from gpu_guide.stand_in.machine import MARK

FILES = {
    "gpu_guide/run.py": "x = 1\n",
    "data/libraries.yml": "a: 1\n",
    "data/errors.yml": "a: 1\n",
    "docs/en/start.md": "# Start\n",
    "snippets/t/one.py": "print(1)\n",
    "snippets/t/other.py": "print(2)\n",
    "records/stand-in.json": '{"snippets": {"t/one": {"prints": [1]}, "t/other": {}}}',
    "tests/support/helper.py": "",
    "tests/stand_in/test_alone.py": "def test_it(): pass\n",
    "tests/stand_in/test_of_pages.py": "HERE = 1\n\ndef test_it(): pass\n",
    "tests/site/test_site.py": "def test_it(): assert False\n",
    "tests/test_more.py": "def test_it(): pass\n",
    "pyproject.toml": "[tool.pytest.ini_options]\n",
}
MACHINE = {"STAND_IN_COUNT": "2"}
TESTS = (
    "snippets/t/one.py",
    "snippets/t/other.py",
    "tests/stand_in/test_alone.py",
    "tests/stand_in/test_of_pages.py",
)
RECORD = '{"snippets": {"t/one": {"prints": [2]}, "t/other": {}}}'
SETTINGS = "[tool.pytest.ini_options]\nx = 1\n"
MODULES = "test_alone test_of_pages"
ALL = f"one other {MODULES}"


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return begin(tmp_path, files=FILES)


def hashes(project: Project, machine: dict[str, str] = MACHINE) -> dict[str, str]:
    """By the name of each test what decides whether it passes."""
    inputs, found = Inputs(project, machine), {}
    for name in TESTS:
        path = project.root / name
        snippet = path.is_relative_to(project.snippets)
        key = inputs.of_snippet(path, f"t/{path.stem}") if snippet else inputs.of_module(path)
        found[path.stem] = key
    return found


@pytest.mark.parametrize(
    ("file", "text", "again"),
    [
        ("snippets/t/one.py", "print(3)\n", "one test_of_pages"),
        ("docs/en/start.md", "# Begin\n", "test_of_pages"),
        ("records/stand-in.json", RECORD, f"one {MODULES}"),
        ("records/new.json", '{"snippets": {"t/other": {}}}', ALL),
        ("gpu_guide/run.py", "x = 2\n", ALL),
        ("gpu_guide/deep/new.c", "int x;\n", ALL),
        ("gpu_guide/__pycache__/run.pyc", "x", ""),
        ("data/libraries.yml", "a: 2\n", ALL),
        ("data/errors.yml", "a: 2\n", MODULES),
        ("tests/support/helper.py", "x = 1\n", MODULES),
        ("tests/stand_in/test_alone.py", "def test_it(): assert 1\n", MODULES),
        ("tests/site/test_site.py", "def test_it(): pass\n", ""),
        ("tests/test_more.py", "def test_it(): assert 1\n", ""),
        ("pyproject.toml", SETTINGS, ALL),
        ("build/site.html", "x", ""),
    ],
)
def test_a_test_runs_again_once_something_changed_that_it_may_read(project, file, text, again):
    before = hashes(project)
    begin(project.root, files={file: text})
    after = hashes(project)
    assert {name for name in before if before[name] != after[name]} == set(again.split())


def test_what_passed_on_a_stand_in_has_a_file_of_its_own(project, monkeypatch):
    config = SimpleNamespace(rootpath=project.root, getoption=lambda name: None)
    monkeypatch.setenv(MARK, "h100")
    assert only_changed._OnlyChanged(config).file.name == "stand-in-passed.json"


def test_another_machine_another_library_or_another_version_is_another_input(
    project, monkeypatch, tmp_path
):
    library = tmp_path / "libcudart.so.13"
    library.write_bytes(b"one")
    one = MACHINE | {"LD_PRELOAD": str(library)}
    seen = [hashes(project), hashes(project, {"STAND_IN_COUNT": "4"}), hashes(project, one)]
    library.write_bytes(b"two")
    seen.append(hashes(project, one))
    monkeypatch.setattr(only_changed, "distributions", lambda: [])
    seen.append(hashes(project, one))
    assert len({json.dumps(one) for one in seen}) == len(seen)


def test_a_pass_counts_for_a_week_and_a_damaged_file_for_nothing(tmp_path):
    file = tmp_path / "passed.json"
    assert only_changed.read(file, date(2026, 11, 27)) == {}
    file.write_text('{"new": ["a", "2026-11-21"], "old": ["b", "2026-11-20"]}', encoding="utf-8")
    assert only_changed.read(file, date(2026, 11, 27)) == {"new": ("a", "2026-11-21")}
    for damaged in ("", "[1]", '{"a": 1}', '{"a": ["b", "today"]}'):
        file.write_text(damaged, encoding="utf-8")
        assert only_changed.read(file, date(2026, 11, 27)) == {}


def run(project: Project, *arguments: str) -> subprocess.CompletedProcess[str]:
    plugins = ("gpu_guide.pytest_plugin", "gpu_guide.only_changed", "no:cacheprovider")
    options = [word for name in plugins for word in ("-p", name)]
    command = [sys.executable, "-m", "pytest", "-q", *options, *arguments, "tests/stand_in"]
    around = os.environ | {"PYTHONPATH": str(ROOT)}
    around.pop("PYTEST_ADDOPTS", None)
    return subprocess.run(
        command, cwd=project.root, env=around, capture_output=True, text=True, check=False
    )


def git(project: Project, *command: str) -> None:
    who = ("-c", "user.name=a", "-c", "user.email=a@b.c")
    subprocess.run(["git", *who, *command], cwd=project.root, check=True)


@pytest.mark.slow
def test_since_a_commit_only_what_changed_runs_and_without_such_a_commit_all(project):
    good = '"""Title.\n\n标题。\n"""\n\nprint("x")\n#> x\n'
    snippets = {f"snippets/t/{name}.py": good for name in ("same", "other")}
    begin(project.root, files={**snippets, "data/libraries.yml": "[]\n"})
    (project.records / "stand-in.json").unlink()
    git(project, "init", "-q")
    git(project, "add", ".")
    git(project, "commit", "-qm", "one")
    pages = {"docs/en/start.md": "# Begin\n", "tests/site/test_site.py": "def test_it(): pass\n"}
    edited = {**pages, "docs/en/新.md": "# New\n", "snippets/t/other.py": good.replace("x", "y")}
    begin(project.root, files=edited)
    changed = [project.root / name for name in sorted(edited)]
    assert sorted(only_changed.changed_since("HEAD", project)) == sorted(changed)
    assert only_changed.changed_since("HEAD^1", project) is None
    some = ("snippets/t/same.py", "snippets/t/other.py", "tests/site/test_site.py")
    done = run(project, *some, "--since", "HEAD")
    # Both runs of the other snippet, test_of_pages, and what is no test on a stand-in.
    assert done.returncode == 0 and "4 passed, 3 deselected" in done.stdout, done.stdout
    assert "3 passed before, and nothing of them changed" in done.stdout
    assert "7 passed" in run(project, *some, "--since", "HEAD^1").stdout
    assert not [*project.cache.glob("*.json")]


@pytest.mark.slow
@pytest.mark.parametrize("processes", [(), ("-n", "2")], ids=["one", "two"])
def test_what_passed_is_left_out_until_it_changes_or_all_is_asked_for(project, processes):
    failing = project.root / "tests/stand_in/test_failing.py"
    failing.write_text("def test_it(): assert False\n", encoding="utf-8")
    done = run(project, *processes)
    assert done.returncode == 1 and "1 failed, 2 passed" in done.stdout, done.stdout + done.stderr
    assert [file.name for file in project.cache.glob("*.json")] == ["passed.json"]
    done = run(project, *processes)
    assert done.returncode == 1 and "1 failed, 2 passed" not in done.stdout
    assert "2 passed before, and nothing of them changed" in done.stdout
    failing.write_text("def test_it(): pass\n", encoding="utf-8")
    run(project, *processes)
    done = run(project, *processes)
    assert done.returncode == 0 and "3 passed before" in done.stdout, done.stdout + done.stderr
    done = run(project, *processes, "--run-passed")
    assert done.returncode == 0 and "3 passed" in done.stdout and "before" not in done.stdout
