"""Run code somewhere and return what it printed: one interface for every tier.

Each run is a process of its own. A crash, a hang, `sys.exit` and an exception all come back as a
`Run` with a problem to read; none of them reaches the process that asked.
"""

from __future__ import annotations

import contextlib
import json
import multiprocessing
import os
import re
import signal
import tempfile
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from enum import StrEnum
from multiprocessing.context import BaseContext
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Any, Literal

from gpu_guide.problems import GuideError, shown
from gpu_guide.project import HERE
from gpu_guide.run import with_libraries
from gpu_guide.run.entry import begin
from gpu_guide.run.job import Job, left_in
from gpu_guide.run.machine import SETTINGS
from gpu_guide.snippets.model import Printed, Snippet, by_statement

TIME_LIMIT = 60.0
"""Seconds that a snippet may take."""

STAND_IN_TIME_LIMIT = 180.0
"""The same on stand-in GPUs, where the CPU computes what kernels would, and a process that a
snippet starts imports PyTorch's CUDA build first."""

LIBRARIES_TIME_LIMIT = 180.0
"""The same where each process first imports other libraries, which takes longer than torch."""

_LATE = 5.0
"""Seconds more until a process that did not end itself in time is killed."""

_ALARM = "Timeout ("
"""How faulthandler begins what it writes when the time is up."""

_FRAME = re.compile(r'  File "(?P<file>.*)", line \d+ in ')
"""A line of a stack that faulthandler wrote: Python's own tracebacks have a comma there."""

_ESCAPED = re.compile(r"\\(x[0-9a-f]{2}|u[0-9a-f]{4}|U[0-9a-f]{8})")
"""How faulthandler, which writes ASCII alone, names any other character of a path."""

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


Outcome = Literal["passed", "failed", "not-simulated"]


@dataclass(frozen=True)
class Run:
    """What came of one run. `problem` is "" where it passed."""

    outcome: Outcome
    problem: str
    calls: tuple[tuple[int, str], ...]
    """(line, text) of what was printed, in its order; the line is that of the `print`."""
    seconds: float

    def prints(self, snippet: Snippet) -> tuple[Printed, ...]:
        """What was printed, by print statement, in the order in which a page shows it.

        Raises ValueError where something printed that is no statement `print(...)`.
        """
        try:
            return by_statement(self.calls, snippet.prints)
        except ValueError as error:
            raise ValueError(f"{shown(snippet.path)}:{error}") from None


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
    devices = snippet.needs.count if snippet.needs.kind == "cuda" else 1
    return run_source(
        snippet.source,
        snippet.path,
        tier,
        devices=devices,
        processes=snippet.needs.count,
        exits=snippet.exits,
        time_limit=time_limit or (STAND_IN_TIME_LIMIT if tier is Tier.STAND_IN else TIME_LIMIT),
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


def run_source(
    source: str,
    path: Path,
    tier: Tier = Tier.CPU,
    *,
    devices: int = 1,
    processes: int = 1,
    exits: frozenset[int] = frozenset({0}),
    time_limit: float = TIME_LIMIT,
    strict: bool = False,
    leaves: frozenset[str] = frozenset(),
    varied: bool = False,
) -> Run:
    """Run `source` as if it stood in `path`, in a new process and an empty folder."""
    with tempfile.TemporaryDirectory(prefix="snippet-", ignore_cleanup_errors=True) as folder:
        job = {
            "path": str(path),
            "source": source,
            "report": str(Path(folder, "report.json")),
            "devices": devices if tier is Tier.SIMULATED else 0,
            "stand_ins": devices if tier is Tier.STAND_IN else 0,
            "hide_gpus": tier in (Tier.CPU, Tier.SIMULATED),
            "time_limit": time_limit,
            "strict": strict,
            "leaves": tuple(sorted(leaves)),
            "varied": varied,
        }
        ranks = processes if tier is Tier.TORCHRUN else 0
        return _forked(job, ranks, exits, time_limit)


def start(target: Callable[..., None], *arguments: object, varied: bool = False) -> BaseProcess:
    """A new process, which has torch imported where it can be forked, and calls `target`.

    `varied`: its strings hash otherwise than those of other runs.
    """
    process = _context().Process(target=target, args=arguments, daemon=False)
    # From the root, where the server finds what it is to import, whoever asks from wherever.
    with _without_settings(), contextlib.chdir(HERE.root), _server(varied):
        process.start()
    return process


def _forked(job: dict, ranks: int, exits: frozenset[int], time_limit: float) -> Run:
    """Run the job in a new process, or if there are to be `ranks`, in as many below a launcher."""
    folder = Path(job["report"]).parent
    outputs = (str(folder / "stdout"), err := str(folder / "stderr"))
    process = start(begin, Job(**job), ranks, *outputs, varied=job["varied"])
    try:
        process.join(time_limit + _LATE)
        hung = process.is_alive()
    finally:
        _end(process)
    if hung or _ALARM in _said(err):
        return _stopped(job, f"did not finish within {time_limit:g} s and was killed", err)
    names = [f"report.json.{rank}" for rank in range(ranks)] or ["report.json"]
    found = [file for name in names if (file := folder / name).exists()]
    reports = [json.loads(file.read_text(encoding="utf-8")) for file in found]
    if len(found) < len(names) and all(report["outcome"] != "raised" for report in reports):
        return _stopped(job, _died(process.exitcode), err)
    silent = [name.rpartition(".")[2] for name in names if folder / name not in found]
    return _judge(job, reports, silent, exits)


_FOLDERS = ("the working folder", "the temporary folder", "the home folder")


def _judge(job: dict, reports: list[dict], silent: list[str], exits: frozenset[int]) -> Run:
    """One verdict on the reports of all ranks; prints come in the order of the ranks.

    `silent` are the ranks that left no report.
    """
    calls = tuple((call["line"], call["text"]) for r in reports for call in r["prints"])
    seconds = max(report["seconds"] for report in reports)
    where = shown(Path(job["path"]))
    # Where one rank raises, the others soon fail for want of it: the first to end knows why.
    for report in sorted(reports, key=lambda report: report["ended"]):
        if report["outcome"] in ("raised", "not-simulated"):
            outcome = "failed" if report["outcome"] == "raised" else "not-simulated"
            line = f"{where}:{report['line']}" if report["line"] else where
            rank = f" (rank {report['rank']})" if report["rank"] else ""
            last = report["problem"].splitlines()[-1]
            about = f"{line}{rank}: {last}\n\n{report['problem']}"
            if silent:
                about += (
                    f"\n\nNo report of rank {', '.join(silent)}: it crashed or was killed, or the "
                    "launcher ended it after this failure."
                )
            return Run(outcome, about, calls, seconds)
        if report["status"] not in exits:
            allowed = " or ".join(map(str, sorted(exits)))
            return Run(
                "failed",
                f"{where}: ended with exit status {report['status']}, not {allowed} — let it run "
                "to its end, or allow the status with '# exits: …'",
                calls,
                seconds,
            )
        if report["leak"]:
            return Run("failed", f"{where}: left changed {report['leak']}", calls, seconds)
    faults = {(line, what): None for report in reports for line, what in report["faults"]}
    if job["strict"] and "files" not in job["leaves"]:
        for folder, name in zip(Job(**job).folders, _FOLDERS, strict=True):
            if left := left_in(folder):
                what = f"left {left[0]} in {name}: delete it at the end, or write it below "
                what += "`with tempfile.TemporaryDirectory()`"
                faults[None, what] = None
    if faults:
        said = [f"{where}:{line}: {what}" if line else f"{where}: {what}" for line, what in faults]
        return Run("failed", "\n".join(said), calls, seconds)
    return Run("passed", "", calls, seconds)


def _stopped(job: dict, what: str, err: str) -> Run:
    tail = "\n".join(_stacks_of_the_code(_said(err), job["path"])[-20:])
    return Run("failed", f"{shown(Path(job['path']))}: {what}\n{tail}".rstrip(), (), 0.0)


def _stacks_of_the_code(said: str, path: str) -> list[str]:
    """The lines of stderr, in faulthandler's stacks without the frames that started the code.

    A stack runs from the innermost frame out, so what stands below the first of our own frames is
    ours, too. A stack in which the code of `path` is not is none of its business.
    """
    kept: list[str] = []
    stack: list[str] = []
    began, ours = 0, False
    for line in [*said.splitlines(), ""]:
        if frame := _FRAME.match(line):
            line = _ESCAPED.sub(lambda found: chr(int(found[1][1:], 16)), line)
            frame = _FRAME.match(line)
        if frame is None:
            if ours and not any(f'"{path}"' in one for one in stack):
                del kept[began:]
            stack, ours, began = [], False, len(kept)
            if not line.startswith("Extension modules:"):
                kept.append(line)
            continue
        ours = ours or Path(frame["file"]).is_relative_to(HERE.package)
        if not ours:
            stack.append(line)
            kept.append(line)
    return kept[:-1]


def _said(err: str) -> str:
    """What the processes of a run wrote to stderr."""
    file = Path(err)
    return file.read_text(encoding="utf-8", errors="replace").strip() if file.exists() else ""


def _died(exitcode: int | None) -> str:
    if exitcode is not None and exitcode < 0:
        with contextlib.suppress(ValueError):
            return f"the process crashed ({signal.Signals(-exitcode).name})"
    return f"the process ended with status {exitcode} before the code did (os._exit?)"


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
    on_devices = _ON_DEVICES if Tier.SIMULATED in tiers else []
    return ["gpu_guide.run.child", *on_devices, *(_ON_RANKS if Tier.TORCHRUN in tiers else [])]


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
