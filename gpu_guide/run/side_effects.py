"""Side effects that code must not have on the machine that runs it, observed inside its process.

A snippet reaches no other machine, sleeps and computes for seconds, and leaves environment and
settings as they were. What it does wrong is noted even where it catches the exception.
"""

from __future__ import annotations

import contextlib
import os
import platform
import random
import sys
import threading
import time
from pathlib import Path
from types import FrameType
from typing import Any

import numpy
import torch

CPU_SECONDS = 20.0
"""Seconds of CPU time that a snippet may use, its threads and processes together."""
SLEEP_SECONDS = 5.0
"""Seconds that it may sleep; what sleeps in a daemon thread keeps nobody waiting."""
MEMORY = 2 * 2**30
"""Bytes of memory that it may need at once."""

OTHER_SEED = 20_26
_LOOPBACK = ("", "localhost", "localhost.localdomain", "0.0.0.0", "::", "::1", "ip6-localhost")
_BY_TORCH = (
    "KMP_",
    "OMP_",
    "TORCHINDUCTOR_",
    "TRITON_",
    "TORCH_",
    "TORCHELASTIC_",
    "NCCL_",
    "TF_CPP",
)
"""How variables begin that PyTorch sets by itself, when it compiles or starts processes."""
_BY_LIBRARIES = ("ACCELERATE_", "DS_", "FSDP_", "PL_", "POSSIBLE_USER_", "PYTORCH_NVML_BASED_")
"""The same for the libraries of data/libraries.yml."""

Fault = tuple[int | None, str]
"""The line, where one is to blame, and what is wrong there with its remedy."""


def vary() -> None:
    """Make chance and threads other than they are by default: what is printed must not differ."""
    random.seed(OTHER_SEED)
    numpy.random.seed(OTHER_SEED)
    torch.default_generator.manual_seed(OTHER_SEED)
    torch.set_num_threads(1 if torch.get_num_threads() > 1 else 2)


class Manners:
    """Watches one run of the code of `path`; `faults` are known at its end."""

    def __init__(self, path: str) -> None:
        self.path = path
        self.found: list[Fault] = []
        self.slept = 0.0

    def __enter__(self) -> Manners:
        self._environment = dict(os.environ)
        self._threads = torch.get_num_threads()
        self._cpu, self._memory = _cpu_seconds(), _resident()
        self._sleep = time.sleep
        time.sleep = self._slept
        sys.addaudithook(self._audit)
        return self

    def __exit__(self, *exc: object) -> None:
        time.sleep = self._sleep

    def _slept(self, seconds: float) -> None:
        # A library may poll, as torchrun's agent does: that is not the snippet's doing.
        polls = "site-packages" in sys._getframe(1).f_code.co_filename
        if polls or threading.current_thread().daemon:
            self._sleep(seconds)
            return
        before, self.slept = self.slept, self.slept + seconds
        if before <= SLEEP_SECONDS < self.slept:
            self._note(f"sleeps for more than {SLEEP_SECONDS:g} s: wait for less, or for an event")
        if self.slept <= SLEEP_SECONDS:
            self._sleep(seconds)

    def _audit(self, event: str, arguments: tuple[Any, ...]) -> None:
        """Let no connection leave this machine: called by Python before it connects or asks DNS."""
        if event == "socket.getaddrinfo":
            host = arguments[0]
        elif event in ("socket.connect", "socket.sendto", "socket.sendmsg"):
            address = arguments[1]
            host = address[0] if isinstance(address, tuple) else None
        else:
            return
        if host is None or _is_here(host):
            return
        name = host.decode(errors="replace") if isinstance(host, bytes) else str(host)
        what = f"connects to {name}: a snippet has no network, so bring what it needs along"
        self._note(what)
        raise OSError(what)

    def _note(self, what: str) -> None:
        frame: FrameType | None = sys._getframe(1)
        while frame is not None and frame.f_code.co_filename != self.path:
            frame = frame.f_back
        self.found.append((frame.f_lineno if frame else None, what))

    def faults(self, leaves: frozenset[str]) -> list[Fault]:
        """What was wrong in this run, without what the code says that it `leaves` changed."""
        found = list(self.found)
        if "environment" not in leaves:
            for name in sorted(_changed(self._environment, dict(os.environ))):
                found.append(
                    (
                        None,
                        f"left changed the environment variable {name}: put it back at the end, "
                        "or say '# leaves: environment' where setting it is the subject",
                    )
                )
        if "threads" not in leaves and torch.get_num_threads() != self._threads:
            what = "left changed the number of threads: end with torch.set_num_threads(before)"
            found.append((None, f"{what}, or say '# leaves: threads'"))
        if (used := _cpu_seconds() - self._cpu) > CPU_SECONDS:
            what = f"used {used:.0f} s of CPU time, {CPU_SECONDS:g} s are allowed: compute less"
            found.append((None, what))
        if (most := _most_resident() - self._memory) > MEMORY:
            what = f"needed {most / 2**30:.1f} GiB of memory, {MEMORY / 2**30:g} GiB are allowed"
            found.append((None, f"{what}: use smaller tensors"))
        return found


def _is_here(host: str | bytes) -> bool:
    name = host.decode(errors="replace") if isinstance(host, bytes) else str(host)
    name = name.lower().removeprefix("::ffff:")
    return name in _LOOPBACK or name.startswith("127.") or name == platform.node().lower()


def _changed(before: dict[str, str], after: dict[str, str]) -> set[str]:
    names = {n for n in before.keys() | after.keys() if before.get(n) != after.get(n)}
    return {name for name in names if not name.startswith(_BY_TORCH + _BY_LIBRARIES)}


def _cpu_seconds() -> float:
    times = os.times()
    return times.user + times.system + times.children_user + times.children_system


def _resident() -> int:
    """Bytes of memory that this process has now; 0 where the system does not say."""
    with contextlib.suppress(OSError, ValueError, IndexError):
        pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
        return pages * os.sysconf("SC_PAGE_SIZE")
    return 0


def _most_resident() -> int:
    """The most that this process, or one that it waited for, ever had; 0 where nobody says."""
    try:
        import resource
    except ModuleNotFoundError:  # Windows
        return 0
    if sys.platform != "linux":
        return 0
    who = (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)
    return max(resource.getrusage(one).ru_maxrss for one in who) * 1024
