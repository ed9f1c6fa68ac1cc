"""The allocator that readers play with, against PyTorch's own: layout and figures of each step.

GPU_GUIDE_ALLOCATOR_PROGRAMS=10000 plays as many random programs in place of 200.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from allocator_model import EXPANDABLE

COMPARE = Path(__file__).with_name("compare_allocator.py")
PROGRAMS = int(os.environ.get("GPU_GUIDE_ALLOCATOR_PROGRAMS", "200"))


@pytest.mark.parametrize("left", [None, 200], ids=["whole GPU", "200 MiB left"])
@pytest.mark.parametrize("settings", ["", EXPANDABLE], ids=["default", "expandable"])
def test_the_model_and_pytorch_agree_after_every_step(settings: str, left: int | None) -> None:
    first = PROGRAMS * (2 * bool(settings) + bool(left))
    command = [sys.executable, str(COMPARE), str(PROGRAMS // 4), "--first", str(first)]
    command += ["--left", str(left)] if left else []
    around = {key: value for key, value in os.environ.items() if "ALLOC_CONF" not in key}
    done = subprocess.run(
        command,
        env=around | ({"PYTORCH_ALLOC_CONF": settings} if settings else {}),
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    print(done.stdout)
    figures = json.loads(done.stdout)
    assert figures["programs"] == PROGRAMS // 4
    assert {"reused", "segment", "split", "merged", "returned", "waiting", "retried", "failed"} <= (
        figures["events"].keys()
    )
    assert settings or figures["ties"] > 0  # which are rare where a pool has one segment
