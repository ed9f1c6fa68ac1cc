"""The snippets on errors of kernels, each in a process of its own: PyTorch reports the error where
the pages say, and CUDA stays broken afterwards.

A kernel that would have met an index out of range fails as on hardware: the stand-in's values know
of it. What the three snippets print about time is no part of it.
"""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from gpu_guide.project import HERE

ASYNCHRONOUS = "asynchronously reported at some other API call"
LOOK_UP = """
import torch
table = torch.zeros(10, 4, device="cuda")
index = torch.tensor([3, 10], device="cuda")
try:
    table[index].sum().item()
except torch.AcceleratorError as error:
    print(error)
"""


def run(*arguments: str, **variables: str) -> str:
    """What a process of this Python prints on the stand-in."""
    command = [sys.executable, *arguments]
    made = os.environ | variables
    done = subprocess.run(command, env=made, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def snippet(name: str) -> list[str]:
    return run(str(HERE.snippets / "speed" / f"{name}.py")).splitlines()


def test_the_error_comes_at_the_first_line_that_waits() -> None:
    assert snippet("error_comes_later")[-1] == "AcceleratorError at: synchronize"


def test_with_launch_blocking_it_comes_where_the_mistake_is() -> None:
    assert snippet("launch_blocking")[-2:] == ["AcceleratorError at: look up", "True"]


def test_after_an_assertion_nothing_on_the_gpu_works() -> None:
    printed = dict(line.split(":", 1) for line in snippet("device_side_assert"))
    outcome = {name: text.strip() for name, text in printed.items()}
    assert outcome.pop("memory to spare") == "True"
    assert outcome.pop("on the CPU") == "works"
    assert outcome == dict.fromkeys(
        ("wrong label", "right label", "another tensor"), "AcceleratorError"
    )


@pytest.mark.parametrize("blocking", ["0", "1"])
def test_the_sentence_that_launch_blocking_takes_away(blocking: str) -> None:
    words = run("-c", LOOK_UP, CUDA_LAUNCH_BLOCKING=blocking)
    assert words.startswith("CUDA error: device-side assert triggered")
    assert (ASYNCHRONOUS in words) == (blocking == "0")
