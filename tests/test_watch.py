"""`make watch`: the tests of a snippet run again when its file holds something else."""

from __future__ import annotations

import subprocess
import threading
from pathlib import Path

import pytest

from gpu_guide.problems import GuideError
from gpu_guide.project import Project
from gpu_guide.watch import watch


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "snippets" / "check").mkdir(parents=True)
    (tmp_path / "snippets" / "check" / "memory.py").write_text("one", encoding="utf-8")
    return tmp_path


@pytest.mark.parametrize("name", ["check/memory", "snippets/check/memory.py"])
def test_each_save_is_followed_by_a_run(
    project: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    file, ran = project / "snippets" / "check" / "memory.py", []

    def run(command: list[str], **_: object) -> subprocess.CompletedProcess[str]:
        ran.append((command[-1], file.read_text(encoding="utf-8")))
        if len(ran) == 1:  # saved during a run, and saved once more while nothing runs
            file.write_text("two", encoding="utf-8")
        elif len(ran) == 2:
            threading.Timer(0.1, file.write_text, ["three"]).start()
        return subprocess.CompletedProcess(command, len(ran))

    monkeypatch.setattr("gpu_guide.watch.subprocess.run", run)
    assert watch(name, Project(project), runs=3) == 3
    assert ran == [("snippets/check/memory.py", text) for text in ("one", "two", "three")]


def test_a_snippet_that_is_not_there_is_named_with_the_nearest(project: Path) -> None:
    with pytest.raises(GuideError, match="no snippet 'check/memroy' — did you mean 'check/memory'"):
        watch("check/memroy", Project(project))
