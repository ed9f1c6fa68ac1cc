"""A process that does not outlive the one that started it."""

from __future__ import annotations

import ctypes
import signal
import sys

_PR_SET_PDEATHSIG = 1


def end_with_starter() -> None:
    """Have Linux kill this process when the one that started or forked it ends, however that ends.

    So that a recording that is killed leaves nothing behind that holds memory of the GPU.
    """
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
