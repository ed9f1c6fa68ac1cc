"""What processes of a killed run sent each other is not left in shared memory for good."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from gpu_guide.stand_in.process import messages

KILLED = """
import os
from gpu_guide.stand_in.process import messages
with messages() as more:
    print(more["STAND_IN_MESSAGES"], flush=True)
    os._exit(1)
"""


def test_what_a_killed_run_left_is_removed_and_what_still_runs_is_not() -> None:
    command = [sys.executable, "-c", KILLED]
    left = subprocess.run(command, capture_output=True, text=True, check=False)
    folder = Path(left.stdout.strip())
    assert folder.is_dir(), left.stderr
    with messages() as outer:
        assert not folder.exists()
        with messages() as inner:
            assert inner != outer and Path(outer["STAND_IN_MESSAGES"]).is_dir()
    assert not Path(outer["STAND_IN_MESSAGES"]).exists()
