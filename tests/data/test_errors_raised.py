"""Messages that a reader meets are raised here, by the calls that raise them for a reader."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import error_cases
import pytest
import torch

from gpu_guide.data.errors import found_in, load_errors
from gpu_guide.project import HERE
from gpu_guide.records import error_texts

MESSAGES = load_errors(HERE)
ON_BROKEN_MACHINES = {
    message.id
    for path in error_texts.files(HERE)
    for one in error_texts.read(path)[1].values()
    for message in found_in("\n".join(one.words), MESSAGES.values())
}
"""What PyTorch says in records/broken: tests/stand_in/test_symptoms.py has it say it again."""
RAISED = {*error_cases.CPU, *error_cases.STAND_IN, *error_cases.FAULTS, *ON_BROKEN_MACHINES}


@pytest.fixture(scope="module")
def told() -> dict[str, str]:
    """What each call of `error_cases.CPU` says in a separate Python without distractions."""
    left_out = ("RANK", "WORLD_SIZE", "LOCAL_RANK", "MASTER_ADDR", "MASTER_PORT")
    made = {name: value for name, value in os.environ.items() if name not in left_out}
    command = [sys.executable, str(Path(error_cases.__file__)), "CPU"]
    done = subprocess.run(command, env=made, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    return dict(json.loads(line) for line in done.stdout.splitlines())


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="signals, libraries and forks as on Linux")
@pytest.mark.skipif(torch.version.cuda is not None, reason="a CPU-only build says these")
@pytest.mark.parametrize("id", error_cases.CPU)
def test_the_call_says_it(id: str, told: dict[str, str]) -> None:
    if id in error_cases.HERE_OR_NOT and not told[id]:
        pytest.skip("this machine has the library")
    found = found_in(told[id], MESSAGES.values())
    assert id in [message.id for message in found], told[id][-2000:]


def test_each_of_the_others_names_its_source() -> None:
    """A file of torch, or the program that says it: "PyTorch" alone is too wide a field."""
    wide = [id for id in MESSAGES if id not in RAISED and MESSAGES[id].source == "PyTorch"]
    assert not wide


def test_enough_messages_are_raised() -> None:
    """By real calls; tests/stand_in/test_messages.py makes those that need CUDA's code."""
    assert not RAISED - MESSAGES.keys()
    assert len(RAISED) >= 140
