"""torchrun for real, on loopback, with a time limit."""

from __future__ import annotations

import contextlib
import os
import re
import signal
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from forked_torchrun import torchrun
from free_port import free_port

from gpu_guide.run.runner import start

TIME_LIMIT = 120.0
"""Seconds for one job, many more than it takes when nothing else runs."""


needs_proc = pytest.mark.skipif(not Path("/proc/self").exists(), reason="needs /proc")
# With the setting of `Agent`, torchrun looks for a free port and releases it, and a worker opens it
# two seconds later. If another test takes it meanwhile, the worker fails: no test is about that.
of_launching = [
    pytest.mark.distributed,
    needs_proc,
    pytest.mark.flaky(reruns=2, only_rerun="EADDRINUSE"),
]
"""The marks of a test that launches torchrun."""


class Agent:
    """One torchrun: what it says is in one file, what each worker prints in a file of its own."""

    def __init__(
        self, folder: Path, name: str, *arguments: str, ignored: Sequence[int] = ()
    ) -> None:
        self.out = folder / f"{name}.txt"
        self.logs = folder / f"{name}-logs"
        environment = os.environ | {
            "CUDA_VISIBLE_DEVICES": "-1",
            "OMP_NUM_THREADS": "1",
            "PYTHONUNBUFFERED": "1",
            "TMPDIR": str(folder),  # torchrun leaves its folder of logs behind
            # Else a process that was restarted may find the addresses of the attempt before:
            # https://github.com/pytorch/pytorch/issues/135712
            "TORCH_DISABLE_SHARE_RDZV_TCP_STORE": "1",
        }
        arguments = (f"--log-dir={self.logs}", "--redirects=3", *arguments)
        self.process = start(torchrun, arguments, str(folder), environment, str(self.out), ignored)

    @property
    def said(self) -> str:
        """All that it and its workers have said: to show where a test fails."""
        files = [*self.out.parent.glob(self.out.name), *sorted(self.logs.rglob("std*.log"))]
        return "\n".join(file.read_text(encoding="utf-8", errors="replace") for file in files)

    def printed(self, pattern: str) -> list[str]:
        """What its workers have printed, in all attempts, as far as it fits the pattern."""
        texts = [file.read_text(encoding="utf-8") for file in self.logs.rglob("stdout.log")]
        return [found for text in texts for found in re.findall(pattern, text, re.M)]

    def ends(self) -> int:
        """Its exit status, once it has ended."""
        self.process.join(TIME_LIMIT)
        if self.process.exitcode is None:
            pytest.fail(f"not done after {TIME_LIMIT:g} s:\n{self.said}", pytrace=False)
        return self.process.exitcode

    def stop(self) -> None:
        """End it, and what it has started."""
        if self.process.exitcode is not None:
            return
        workers = self.workers().values()
        self.process.terminate()
        self.process.join(10)
        for pid in (self.process.pid, *workers):
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        self.process.join()

    def until(self, reached: Callable[[], bool]) -> None:
        """Wait until `reached()`, while the job goes on."""
        deadline = time.monotonic() + TIME_LIMIT
        while not reached():
            self.process.join(0.01)
            if (status := self.process.exitcode) is not None:
                pytest.fail(f"ended with {status} too early:\n{self.said}", pytrace=False)
            assert time.monotonic() < deadline, self.said

    def workers(self) -> dict[int, int]:
        """The processes that it has started: from rank to process id."""
        found = {}
        for stat in Path("/proc").glob("[0-9]*/stat"):
            with contextlib.suppress(OSError):
                # pid (name) state parent ...
                state, parent = stat.read_text().rpartition(")")[2].split()[:2]
                if int(parent) == self.process.pid and state != "Z":
                    rank = re.search(rb"\0RANK=(\d+)", stat.with_name("environ").read_bytes())
                    if rank:
                        found[int(rank[1])] = int(stat.parent.name)
        return found


def two_machines(launch: Callable[..., Agent], *options: str) -> list[Agent]:
    """Two agents with one worker each, which find each other by the endpoint alone."""
    endpoint = f"127.0.0.1:{free_port()}"
    common = ["--nnodes=2", "--nproc-per-node=1", "--rdzv-id=job", "--rdzv-backend=c10d"]
    common += [f"--rdzv-endpoint={endpoint}", "--local-addr=127.0.0.1", *options]
    return [launch(name, *common) for name in ("first", "second")]
