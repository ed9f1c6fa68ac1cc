"""What is told when a check calls a function of the program, and that function fails."""

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from gpu_guide.exercises.observer.program import Ran, observe

Told = Callable[[str], dict[str, Any]]


@pytest.fixture
def told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Told:
    """Runs a program whose check calls its function `half`; the process stays as it was."""
    monkeypatch.setattr(sys, "argv", list(sys.argv))
    monkeypatch.setattr(sys, "path", list(sys.path))
    monkeypatch.setitem(sys.modules, "__main__", sys.modules["__main__"])
    program, check = tmp_path / "program.py", tmp_path / "check.py"
    check.write_text("def check(ran):\n    ran['half'](0)\n", encoding="utf-8")

    def run(source: str) -> dict[str, Any]:
        program.write_text(source, encoding="utf-8")
        return observe(Ran(program, gpus=0, result=tmp_path / "0.json"), check, simulated=True)

    return run


def test_it_is_told_with_the_line_of_the_program(told: Told) -> None:
    found = told("def half(x):\n    return 1 / x\n")
    assert found["key"] == "stopped"
    assert (found["values"]["line"], found["values"]["kind"]) == ("2", "ZeroDivisionError")


@pytest.mark.parametrize("source", ["half = 3\n", "def half():\n    return 1\n"])
def test_a_name_that_means_something_else_is_told(told: Told, source: str) -> None:
    assert told(source)["key"] == "unusable"
