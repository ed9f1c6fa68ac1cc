"""The outcome of a run: the reports that its processes left, combined into one `Run`.

Where a process left none, because it crashed or its time was up, its stderr says where it was.
"""

from __future__ import annotations

import contextlib
import re
import signal
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from gpu_guide.problems import shown
from gpu_guide.project import HERE
from gpu_guide.run.job import Job, left_in
from gpu_guide.snippets.model import Printed, Snippet, by_statement

_ESCAPED = re.compile(r"\\(x[0-9a-f]{2}|u[0-9a-f]{4}|U[0-9a-f]{8})")
"""How faulthandler, which writes ASCII alone, names any other character of a path."""

_FRAME = re.compile(r'  File "(?P<file>.*)", line \d+ in ')
"""A line of a stack that faulthandler wrote: Python's own tracebacks have a comma there."""

ALARM = "Timeout ("
"""How faulthandler begins what it writes when the time is up."""

_FOLDERS = ("the working folder", "the temporary folder", "the home folder")

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


def judge(job: Job, reports: list[dict], silent: list[str], exits: frozenset[int]) -> Run:
    """One verdict on the reports of all ranks; prints come in the order of the ranks.

    `silent` are the ranks that left no report.
    """
    calls = tuple((call["line"], call["text"]) for r in reports for call in r["prints"])
    seconds = max(report["seconds"] for report in reports)
    where = shown(Path(job.path))
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
    if job.strict and "files" not in job.leaves:
        for folder, name in zip(job.folders, _FOLDERS, strict=True):
            if left := left_in(folder):
                what = f"left {left[0]} in {name}: delete it at the end, or write it below "
                what += "`with tempfile.TemporaryDirectory()`"
                faults[None, what] = None
    if faults:
        said = [f"{where}:{line}: {what}" if line else f"{where}: {what}" for line, what in faults]
        return Run("failed", "\n".join(said), calls, seconds)
    return Run("passed", "", calls, seconds)


def stopped(job: Job, what: str, err: str) -> Run:
    tail = "\n".join(stacks_of_the_code(said_in(err), job.path)[-20:])
    return Run("failed", f"{shown(Path(job.path))}: {what}\n{tail}".rstrip(), (), 0.0)


def stacks_of_the_code(said: str, path: str) -> list[str]:
    """The lines of stderr, in faulthandler's stacks without the frames that started the code.

    A stack runs from the innermost frame out, so the frames below the first of our own are ours,
    too. A stack in which the code of `path` is not is none of its business.
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


def said_in(err: str) -> str:
    """What the processes of a run wrote to stderr."""
    file = Path(err)
    return file.read_text(encoding="utf-8", errors="replace").strip() if file.exists() else ""


def died(exitcode: int | None) -> str:
    if exitcode is not None and exitcode < 0:
        with contextlib.suppress(ValueError):
            return f"the process crashed ({signal.Signals(-exitcode).name})"
    return f"the process ended with status {exitcode} before the code did (os._exit?)"
