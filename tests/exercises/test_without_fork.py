"""Windows has no fork: there each job gets a process, which was started before it was needed."""

from __future__ import annotations

from pathlib import Path

import pytest

from gpu_guide.exercises import run
from gpu_guide.exercises.run import Checker
from gpu_guide.exercises.source import load_exercises
from gpu_guide.project import HERE

EXERCISES = load_exercises(HERE)


@pytest.mark.slow
def test_checks_work_one_after_the_other(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "sitecustomize.py").write_text("import os\ndel os.fork\n", encoding="utf-8")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    monkeypatch.setattr(run, "FORKS", False)
    used = set()
    with Checker() as checker:
        for name in ("to/dropped_result", "ddp/different_samples", "to/dropped_result"):
            exercise = EXERCISES[name]
            used |= {process.pid for process in checker.waiting}
            assert checker.check(exercise, exercise.program).key == exercise.start.broken
            assert checker.check(exercise, exercise.solution).key == ""
            assert len(checker.waiting) >= exercise.start.processes
    assert not checker.waiting
    assert len(used) >= 3, "a process does one job"
