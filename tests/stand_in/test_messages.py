"""PyTorch's CUDA code says messages of data/errors on stand-in GPUs and on broken ones."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import error_cases
import pytest
from stand_in_calls import Run

from gpu_guide.data.errors import found_in, load_errors
from gpu_guide.project import HERE

MESSAGES = load_errors(HERE)
FOLDER = Path(error_cases.__file__).parent


def code(*arguments: str) -> str:
    """A program that makes the calls of a table."""
    path = f"import sys; sys.path.insert(0, {str(FOLDER)!r})"
    return f"{path}; import error_cases; error_cases.main{arguments}"


def told(done: subprocess.CompletedProcess[str]) -> dict[str, str]:
    """What was said, by the id of the message that should be."""
    assert done.returncode == 0, done.stderr
    return dict(json.loads(line) for line in done.stdout.splitlines())


@pytest.fixture(scope="module")
def on_two_gpus() -> dict[str, str]:
    """Filled by the first test that has a machine."""
    return {}


@pytest.mark.parametrize("id", error_cases.STAND_IN)
def test_the_call_says_it(id: str, run_on: Run, on_two_gpus: dict[str, str]) -> None:
    if not on_two_gpus:
        on_two_gpus.update(told(run_on(code("STAND_IN"), count=2)))
    words = on_two_gpus[id]
    assert id in [one.id for one in found_in(words, MESSAGES.values())], words[-2000:]


@pytest.mark.parametrize("id", error_cases.FAULTS)
def test_the_broken_machine_says_it(id: str, run_on: Run) -> None:
    done = run_on(code("FAULTS", id), **error_cases.FAULTS[id][0])
    words = told(done)[id]
    assert id in [one.id for one in found_in(words, MESSAGES.values())], words[-2000:]
