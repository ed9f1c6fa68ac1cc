"""Where the processes of an exercise meet: on a port that nobody takes from them."""

from __future__ import annotations

import socket

import pytest

from gpu_guide.exercises.run import Checker
from gpu_guide.exercises.source import load_exercises
from gpu_guide.project import HERE


@pytest.mark.slow
def test_a_port_that_is_taken_does_no_harm(monkeypatch: pytest.MonkeyPatch) -> None:
    exercise = load_exercises(HERE)["ddp/total_of_one"]
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        monkeypatch.setenv("MASTER_ADDR", "127.0.0.1")
        monkeypatch.setenv("MASTER_PORT", str(taken.getsockname()[1]))
        with Checker() as checker:
            assert checker.check(exercise, exercise.solution).key == ""
            assert checker.check(exercise, exercise.program).key == exercise.start.broken
