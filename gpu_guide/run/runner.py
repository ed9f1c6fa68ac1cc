"""Run code somewhere and return what it printed: one interface for every tier.

Each run is a process of its own. A crash, a hang, `sys.exit` and an exception all come back as a
`Run` with a problem to read; none of them reaches the process that asked.
"""

from __future__ import annotations

import contextlib
import json
import multiprocessing
import os
import signal
import tempfile
import time
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from enum import StrEnum
from multiprocessing.context import BaseContext
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Any

from gpu_guide.problems import GuideError, shown
from gpu_guide.project import HERE
from gpu_guide.run import with_libraries
from gpu_guide.run.entry import begin
from gpu_guide.run.job import Job
from gpu_guide.run.machine import SETTINGS
from gpu_guide.run.outcome import ALARM, Run, died, judge, said_in, stopped
from gpu_guide.snippets.model import Snippet

TIME_LIMIT = 60.0
"""Seconds that a snippet may take."""

STAND_IN_TIME_LIMIT = 180.0
"""The same on stand-in GPUs, where the CPU computes what kernels would, and a process that a
snippet starts imports PyTorch's CUDA build first."""

LIBRARIES_TIME_LIMIT = 180.0
"""The same where each process first imports other libraries, which takes longer than torch."""

_LATE = 5.0
"""Seconds more until a process that did not end itself in time is killed."""

_ON_DEVICES = ["gpu_guide.simulate"]
_ON_RANKS = [
    "gpu_guide.run.torchrun",
    "torch.distributed.checkpoint",
    "torch.distributed.fsdp",
    "torch.distributed.pipelining",
    "torch.distributed.tensor.parallel",
]
_preloaded = ["gpu_guide.run.child", *_ON_DEVICES, *_ON_RANKS]
"""What the next fork server imports once, and torch with it."""


class Tier(StrEnum):
    """Where a snippet runs."""

    CPU = "cpu"
    SIMULATED = "simulated"
    STAND_IN = "stand-in"
    GPU = "gpu"
    TORCHRUN = "torchrun"


def limit_on(tier: Tier) -> float:
    """Seconds that a snippet may take there."""
    return STAND_IN_TIME_LIMIT if tier is Tier.STAND_IN else TIME_LIMIT


def run_snippet(
    snippet: Snippet,
    tier: Tier,
    *,
    time_limit: float | None = None,
    strict: bool = False,
    varied: bool = False,
) -> Run:
    """Run `snippet` on `tier`: pretended devices are as many as it needs, at least one.

    `strict`: what it leaves behind, or reaches for, is a failure. `varied`: under conditions that
    must not change what is printed.
    """
    if snippet.needs.libraries:
        return _with_libraries(snippet, tier, time_limit, strict, varied)
    options = {"time_limit": time_limit, "strict": strict, "varied": varied}
    return start_snippet(snippet, tier, **options).finish()


def start_snippet(
    snippet: Snippet,
    tier: Tier,
    *,
    time_limit: float | None = None,
    strict: bool = False,
    varied: bool = False,
) -> Started:
    """Begin what `run_snippet` does, for a snippet that needs no other libraries."""
    devices = 1 if snippet.needs.kind == "any" else snippet.needs.count
    return start_source(
        snippet.source,
        snippet.path,
        tier,
        devices=devices,
        processes=snippet.needs.count if snippet.needs.kind == "torchrun" else 0,
        exits=snippet.exits,
        time_limit=time_limit or limit_on(tier),
        strict=strict,
        leaves=snippet.leaves,
        varied=varied,
    )


def _with_libraries(
    snippet: Snippet, tier: Tier, time_limit: float | None, strict: bool, varied: bool
) -> Run:
    """The same in the environment that has them, which is made where it is not there yet."""
    try:
        python = with_libraries.find_or_make(HERE)
    except GuideError as error:
        return Run("failed", f"{shown(snippet.path)}: {error}", (), 0.0)
    job = {
        "source": snippet.source,
        "path": str(snippet.path),
        "tier": tier,
        "processes": snippet.needs.count,
        "exits": sorted(snippet.exits),
        "strict": strict,
        "leaves": sorted(snippet.leaves),
        "varied": varied,
    }
    found = with_libraries.run(python, job, time_limit or LIBRARIES_TIME_LIMIT)
    return Run(**{**found, "calls": tuple((line, text) for line, text in found["calls"])})


def run_source(source: str, path: Path, tier: Tier = Tier.CPU, **options: Any) -> Run:
    """Run `source` as if it stood in `path`, in a new process and an empty folder.

    The options are those of `start_source`.
    """
    return start_source(source, path, tier, **options).finish()


def start_source(
    source: str,
    path: Path,
    tier: Tier = Tier.CPU,
    *,
    devices: int = 1,
    processes: int = 0,
    exits: frozenset[int] = frozenset({0}),
    time_limit: float = TIME_LIMIT,
    strict: bool = False,
    leaves: frozenset[str] = frozenset(),
    varied: bool = False,
) -> Started:
    """Begin to run `source` as if it stood in `path`: what runs is to be finished or stopped.

    With `processes` it runs on so many ranks, on a tier that has them.
    """
    folder = tempfile.TemporaryDirectory(prefix="snippet-", ignore_cleanup_errors=True)
    job = Job(
        path=str(path),
        source=source,
        report=str(Path(folder.name, "report.json")),
        devices=devices if tier is Tier.SIMULATED else 0,
        stand_ins=devices if tier is Tier.STAND_IN else 0,
        hide_gpus=tier in (Tier.CPU, Tier.SIMULATED),
        time_limit=time_limit,
        strict=strict,
        leaves=tuple(sorted(leaves)),
        varied=varied,
    )
    ranks = processes if tier in (Tier.TORCHRUN, Tier.STAND_IN) else 0
    try:
        outputs = (str(Path(folder.name, "stdout")), str(Path(folder.name, "stderr")))
        process = start(begin, job, ranks, *outputs, varied=varied)
    except BaseException:
        folder.cleanup()
        raise
    return Started(job, ranks, exits, folder, process, time.monotonic() + time_limit + _LATE)


@dataclass
class Started:
    """A run that has begun, in a new process, or if there are `ranks`, in as many below that."""

    job: Job
    ranks: int
    exits: frozenset[int]
    folder: tempfile.TemporaryDirectory
    process: BaseProcess
    latest: float
    """By the clock of time.monotonic(), when it is killed."""

    @property
    def sentinel(self) -> int:
        """What `multiprocessing.connection.wait` waits for: it is ready when the run has ended."""
        return self.process.sentinel

    def finish(self) -> Run:
        """Wait until it ends, or is too late and is killed, and return what came of it."""
        try:
            try:
                self.process.join(max(0.0, self.latest - time.monotonic()))
                hung = self.process.is_alive()
            finally:
                _end(self.process)
            return self._judged(hung)
        finally:
            self.folder.cleanup()

    def stop(self) -> None:
        """End it, and leave nothing behind."""
        _end(self.process)
        self.folder.cleanup()

    def _judged(self, hung: bool) -> Run:
        folder, job = Path(self.folder.name), self.job
        err = str(folder / "stderr")
        if hung or ALARM in said_in(err):
            return stopped(job, f"did not finish within {job.time_limit:g} s and was killed", err)
        names = [f"report.json.{rank}" for rank in range(self.ranks)] or ["report.json"]
        found = [file for name in names if (file := folder / name).exists()]
        reports = [json.loads(file.read_text(encoding="utf-8")) for file in found]
        if len(found) < len(names) and all(report["outcome"] != "raised" for report in reports):
            return stopped(job, died(self.process.exitcode), err)
        silent = [name.rpartition(".")[2] for name in names if folder / name not in found]
        return judge(job, reports, silent, self.exits)


def start(target: Callable[..., None], *arguments: object, varied: bool = False) -> BaseProcess:
    """A new process, which has torch imported where it can be forked, and calls `target`.

    `varied`: its strings hash otherwise than those of other runs.
    """
    process = _context().Process(target=target, args=arguments, daemon=False)
    # From the root, where the server finds what it is to import, whoever asks from wherever.
    with _without_settings(), contextlib.chdir(HERE.root), _server(varied):
        process.start()
    return process


def _end(process: BaseProcess) -> None:
    """Kill the process, and whatever the run left behind: its process group is its own session.

    One that even that does not end, because it waits inside a driver, is left to the system.
    """
    if process.pid is not None and hasattr(os, "killpg"):
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)
    if process.is_alive():
        process.kill()
    process.join(_LATE)


@contextlib.contextmanager
def _without_settings() -> Iterator[None]:
    """Take the user's settings of CUDA and PyTorch out of the environment that a run inherits.

    The fork server keeps the environment of its first run, and torch reads some when imported.
    """
    kept = {name: os.environ.pop(name) for name in SETTINGS if name in os.environ}
    try:
        yield
    finally:
        os.environ.update(kept)


def prepare(tiers: Collection[Tier], varied: Collection[Tier]) -> None:
    """Begin to start the fork servers, side by side, with what is imported on these `tiers`, and on
    those where code is run under other conditions.

    For who runs nothing else: where there is one snippet to run, most of the time goes there.
    """
    if _forking is not None or "forkserver" not in multiprocessing.get_all_start_methods():
        return
    from multiprocessing import forkserver

    with _without_settings(), contextlib.chdir(HERE.root):
        _preloaded[:] = _imported_on(tiers)
        _context()
        forkserver.ensure_running()
        if varied:
            _preloaded[:] = _imported_on(varied)
            with _server(varied=True):
                _other.ensure_running()


def _imported_on(tiers: Collection[Tier]) -> list[str]:
    with_ranks = Tier.TORCHRUN in tiers or Tier.STAND_IN in tiers
    on_devices = _ON_DEVICES if Tier.SIMULATED in tiers else []
    return ["gpu_guide.run.child", *on_devices, *(_ON_RANKS if with_ranks else [])]


@contextlib.contextmanager
def _server(varied: bool) -> Iterator[None]:
    """Have the next process forked from a server whose strings hash otherwise, if it is `varied`.

    A hash seed is that of an interpreter, so it takes another server; Python has but one by itself.
    """
    if not varied or "forkserver" not in multiprocessing.get_all_start_methods():
        yield
        return
    from multiprocessing import forkserver

    global _other
    if _other is None:
        _other = forkserver.ForkServer()
        _other.set_forkserver_preload(_preloaded)
    connect, seed = forkserver.connect_to_new_process, os.environ.get("PYTHONHASHSEED")
    os.environ["PYTHONHASHSEED"] = "1" if seed == "2" else "2"
    forkserver.connect_to_new_process = _other.connect_to_new_process
    try:
        _context()
        yield
    finally:
        forkserver.connect_to_new_process = connect
        del os.environ["PYTHONHASHSEED"]
        if seed is not None:
            os.environ["PYTHONHASHSEED"] = seed


_other: Any = None
_forking: BaseContext | None = None


def _context() -> BaseContext:
    """A fork server that has torch imported; where there is none (Windows), a fresh process."""
    global _forking
    if _forking is None:
        if "forkserver" in multiprocessing.get_all_start_methods():
            _forking = multiprocessing.get_context("forkserver")
            _forking.set_forkserver_preload(_preloaded)
        else:
            _forking = multiprocessing.get_context("spawn")
    return _forking
