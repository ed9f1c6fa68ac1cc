"""The child's half of the runner: run one file as `__main__` and write down what came of it.

Runs in a process of its own, forked from a server that has torch imported;
gpu_guide/run/torchrun.py makes it one of several ranks. The report is a file, so that nothing the
code prints, closes or breaks can garble it; a process that dies leaves none.
"""

from __future__ import annotations

import builtins
import faulthandler
import json
import multiprocessing
import os
import re
import shutil
import sys
import tempfile
import time
import traceback
import types
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import asdict, dataclass
from pathlib import Path
from types import FrameType
from typing import Any

import torch

from gpu_guide.run.job import Job
from gpu_guide.run.lifetime import end_with_starter
from gpu_guide.run.side_effects import Manners, vary
from gpu_guide.stand_in.machine import COUNT


def run(job: Job, stdout: str, stderr: str) -> None:
    """Entry point in a forked process."""
    end_with_starter()
    enter(job, stdout, stderr)
    execute(job)


def enter(job: Job, stdout: str, stderr: str, group: int = 0) -> None:
    """Make this process the job's: process group, output files, folder.

    `group` is the process group to join, so that all of a job can be killed at once; 0 makes one.
    """
    if hasattr(os, "setpgid"):
        os.setpgid(0, group)
    for stream, target in ((sys.stdout, stdout), (sys.stderr, stderr)):
        stream.flush()
        descriptor = os.open(target, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        os.dup2(descriptor, 1 if stream is sys.stdout else 2)
    work, temporary, home = job.folders
    for folder in job.folders:
        folder.mkdir(exist_ok=True)
    os.chdir(work)
    os.environ["TMPDIR"] = tempfile.tempdir = str(temporary)
    if job.varied:
        os.environ["HOME"] = os.environ["USERPROFILE"] = str(home)
    # The fork server hands its own start method down; code that is run expects Python's default.
    multiprocessing.set_start_method(None, force=True)


def execute(job: Job) -> None:
    """Run the job in this process and write its report.

    When the time is up the process ends itself, and says on stderr in which line it was.
    """
    faulthandler.enable()
    faulthandler.dump_traceback_later(job.time_limit, exit=True)
    if job.hide_gpus and torch.version.cuda and shutil.which("nvidia-smi"):
        os.environ["CUDA_VISIBLE_DEVICES"] = "-1"
    if job.stand_ins:
        os.environ[COUNT] = str(job.stand_ins)
    module = types.ModuleType("__main__")
    module.__file__ = job.path
    sys.modules["__main__"] = module
    sys.argv = [job.path]
    recorder = PrintRecorder(job.path)
    manners = Manners(job.path) if job.strict else nullcontext()
    if job.varied:
        vary()
    report: dict[str, Any] = {"outcome": "passed", "status": 0, "problem": "", "line": None}
    started = time.perf_counter()
    try:
        code = compile(job.source, job.path, "exec")
        with manners, _devices(job.devices), recorder:
            exec(code, module.__dict__)
    except SystemExit as stop:
        report |= {"outcome": "exit", "status": _status(stop)}
    except BaseException as error:
        outcome = "not-simulated" if type(error).__name__ == "NotSimulated" else "raised"
        trace = traceback.TracebackException.from_exception(error)
        lines = [frame.lineno for frame in trace.stack if frame.filename == job.path]
        report |= {
            "outcome": outcome,
            "problem": "".join(_without_our_frames(trace).format()).rstrip(),
            "line": lines[-1] if lines else None,
        }
    faulthandler.cancel_dump_traceback_later()
    report["seconds"] = time.perf_counter() - started
    report["prints"] = [asdict(call) for call in recorder.calls]
    report["leak"] = _leak() if report["outcome"] == "passed" and not job.devices else ""
    report["faults"] = manners.faults(frozenset(job.leaves)) if job.strict else []
    report |= {"ended": time.time(), "rank": (rank := os.environ.get("RANK"))}
    target = Path(job.report if rank is None else f"{job.report}.{rank}")
    target.write_text(json.dumps(report), encoding="utf-8")
    if report["outcome"] == "raised" and rank is not None:
        raise SystemExit(1)


@dataclass(frozen=True)
class PrintCall:
    """What calls of `print` in the file printed: whole lines, and the line where that ended.

    Objects are written as pytest-examples writes them, blanks at line ends are gone.
    """

    line: int
    text: str


class PrintRecorder:
    """Replaces `print` so that calls in one file are written down; others print as ever.

    With `end=""` a line is made by several calls: it counts for the one that ends it.
    """

    def __init__(self, path: str) -> None:
        self.path = path
        self.calls: list[PrintCall] = []
        self._unended, self._last = "", 0

    def __enter__(self) -> PrintRecorder:
        self._print: Callable[..., None] = builtins.print
        builtins.print = self._record
        return self

    def __exit__(self, *exc: object) -> None:
        builtins.print = self._print
        if self._unended:
            self._keep(self._last, self._unended)

    def _record(
        self, *args: Any, sep: str | None = " ", end: str | None = "\n", **kwargs: Any
    ) -> None:
        frame: FrameType = sys._getframe(1)
        if frame.f_code.co_filename != self.path or kwargs.get("file") not in (None, sys.stdout):
            self._print(*args, sep=sep, end=end, **kwargs)
            return
        text = (" " if sep is None else sep).join(map(as_text, args))
        text = self._unended + text + ("\n" if end is None else end)
        self._unended, self._last = "", frame.f_lineno
        if text.endswith("\n"):
            self._keep(frame.f_lineno, text[:-1])
        else:
            self._unended = text

    def _keep(self, line: int, text: str) -> None:
        rows = _without_paths(text).split("\n")
        self.calls.append(PrintCall(line, "\n".join(row.rstrip() for row in rows)))


def as_text(printed: object) -> str:
    """`printed` as pytest-examples writes it: sets in order, addresses all alike.

    Its own class for this comes with pytest and black, and this also runs where torch is alone.
    """
    if isinstance(printed, str):
        return printed
    if isinstance(printed, set):
        return f"{{{', '.join(map(repr, sorted(printed)))}}}"
    return _ADDRESS.sub("0x0123456789ab>", str(printed))


_ADDRESS = re.compile("0x[a-f0-9]{8,12}>")


def _without_paths(text: str) -> str:
    """`text` with this machine's own folders shortened: they say nothing to a reader."""
    if sys.prefix != sys.base_prefix:
        text = text.replace(sys.prefix, ".venv")
    home = str(Path.home())
    return text.replace(home, "~") if len(home) > 1 else text


def _devices(count: int) -> AbstractContextManager[Any]:
    if not count:
        return nullcontext()
    from gpu_guide.simulate import SimulatedCuda

    return SimulatedCuda(count)


def _status(stop: SystemExit) -> int:
    if stop.code is None:
        return 0
    return stop.code if isinstance(stop.code, int) else 1


def _without_our_frames(trace: traceback.TracebackException) -> traceback.TracebackException:
    """The traceback as it would be without this package around the code."""
    ours = str(Path(__file__).parents[1])
    for part in (trace, trace.__cause__, trace.__context__):
        if part is not None:
            part.stack[:] = [frame for frame in part.stack if not frame.filename.startswith(ours)]
    return trace


def _leak() -> str:
    """What the code left changed for whatever runs after it in the same process."""
    try:
        device = torch.get_default_device().type
    except Exception:  # one that this machine does not have
        device = "unusable"
    if device != "cpu":
        return "the default device: end with torch.set_default_device(None)"
    if torch.get_default_dtype() != torch.float32:
        return "the default dtype: end with torch.set_default_dtype(torch.float32)"
    if not torch.is_grad_enabled():
        return "gradients switched off: use `with torch.no_grad():`"
    return ""
