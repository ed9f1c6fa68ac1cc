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
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from enum import StrEnum
from multiprocessing.context import BaseContext
from pathlib import Path
from typing import Literal

from gpu_guide import ROOT
from gpu_guide.snippets import Printed, Snippet, shown

TIME_LIMIT = 60.0
"""Seconds that a snippet may take; torchrun's start is counted in."""


_PRELOADED = ["gpu_guide.execute", "gpu_guide.simulate"]
"""What the fork server imports once, and torch with it."""


class Tier(StrEnum):
    """Where a snippet runs."""

    CPU = "cpu"
    SIMULATED = "simulated"
    GPU = "gpu"
    TORCHRUN = "torchrun"


Outcome = Literal["passed", "failed", "not-simulated"]


@dataclass(frozen=True)
class Run:
    """What came of one run. `problem` is "" where it passed."""

    outcome: Outcome
    problem: str
    calls: tuple[tuple[int, str], ...]
    """(line, text) of each `print` in the file, in the order of the calls."""
    seconds: float

    def prints(self, snippet: Snippet) -> tuple[Printed, ...]:
        """What was printed, by print statement, in the order in which a page shows it.

        Raises ValueError where something printed that is no statement `print(...)`.
        """
        found = []
        for line, text in self.calls:
            statement = snippet.statement_at(line)
            if statement is None:
                raise ValueError(
                    f"{shown(snippet.path)}:{line}: print is not a statement here — "
                    "write print(...) on a line of its own"
                )
            found.append(Printed(statement, text))
        return tuple(sorted(found, key=lambda printed: printed.statement))


def run_snippet(snippet: Snippet, tier: Tier, *, time_limit: float = TIME_LIMIT) -> Run:
    """Run `snippet` on `tier`: simulated devices are as many as it needs, at least one."""
    devices = snippet.needs.count if snippet.needs.kind == "cuda" else 1
    return run_source(
        snippet.source,
        snippet.path,
        tier,
        devices=devices,
        processes=snippet.needs.count,
        exits=snippet.exits,
        time_limit=time_limit,
    )


def run_source(
    source: str,
    path: Path,
    tier: Tier = Tier.CPU,
    *,
    devices: int = 1,
    processes: int = 1,
    exits: frozenset[int] = frozenset({0}),
    time_limit: float = TIME_LIMIT,
) -> Run:
    """Run `source` as if it stood in `path`, in a new process and an empty folder."""
    with tempfile.TemporaryDirectory(prefix="snippet-") as folder:
        job = {
            "path": str(path),
            "source": source,
            "report": str(Path(folder, "report.json")),
            "devices": devices if tier is Tier.SIMULATED else 0,
            "hide_gpus": tier in (Tier.CPU, Tier.SIMULATED),
            "time_limit": time_limit,
        }
        if tier is Tier.TORCHRUN:
            return _torchrun(job, processes, exits, time_limit)
        return _forked(job, exits, time_limit)


def _forked(job: dict, exits: frozenset[int], time_limit: float) -> Run:
    from gpu_guide import execute

    folder = Path(job["report"]).parent
    out, err = folder / "stdout", folder / "stderr"
    process = _context().Process(
        target=execute.run, args=(execute.Job(**job), str(out), str(err)), daemon=False
    )
    process.start()
    process.join(time_limit)
    hung = process.is_alive()
    if hung:
        process.kill()
    _end_group(process.pid)
    process.join()
    if hung:
        return _stopped(job, f"did not finish within {time_limit:g} s and was killed", err)
    report = Path(job["report"])
    if not report.exists():
        return _stopped(job, _died(process.exitcode), err)
    return _judge(job, [json.loads(report.read_text(encoding="utf-8"))], exits)


def _torchrun(job: dict, processes: int, exits: frozenset[int], time_limit: float) -> Run:
    folder = Path(job["report"]).parent
    request, err = folder / "job.json", folder / "stderr"
    request.write_text(json.dumps(job), encoding="utf-8")
    command = [sys.executable, "-m", "torch.distributed.run", "--standalone"]
    command += [f"--nproc-per-node={processes}", "-m", "gpu_guide.execute", str(request)]
    environment = os.environ | {
        "PYTHONPATH": os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")]),
        "OMP_NUM_THREADS": "1",  # what torchrun would choose, without its banner
        "TMPDIR": str(folder),  # torchrun leaves its folder of logs behind
    }
    with err.open("wb") as stderr:
        process = subprocess.Popen(
            command,
            cwd=folder,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=stderr,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
        try:
            process.wait(time_limit)
        except subprocess.TimeoutExpired:
            return _stopped(job, f"did not finish within {time_limit:g} s and was killed", err)
        finally:
            # torchrun gives each rank a session of its own: it ends them when it is asked to, and
            # they end themselves when it is killed (execute.end_with_parent).
            process.terminate()
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(10)
            _end_group(process.pid)
            process.wait()
    reports = [folder / f"report.json.{rank}" for rank in range(processes)]
    read = [json.loads(r.read_text(encoding="utf-8")) for r in reports if r.exists()]
    if len(read) < processes and all(report["outcome"] != "raised" for report in read):
        return _stopped(job, _died(process.returncode), err)
    return _judge(job, read, exits)


def _judge(job: dict, reports: list[dict], exits: frozenset[int]) -> Run:
    """One verdict on the reports of all ranks; prints come in the order of the ranks."""
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
            return Run(outcome, f"{line}{rank}: {last}\n\n{report['problem']}", calls, seconds)
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
    return Run("passed", "", calls, seconds)


def _stopped(job: dict, what: str, err: Path) -> Run:
    said = err.read_text(encoding="utf-8", errors="replace").strip() if err.exists() else ""
    ours = ("gpu_guide/execute.py", "multiprocessing", 'File "<string>"', "Extension mod")
    kept = [line for line in said.splitlines() if not any(word in line for word in ours)]
    tail = "\n".join(kept[-20:])
    return Run("failed", f"{shown(Path(job['path']))}: {what}\n{tail}".rstrip(), (), 0.0)


def _died(exitcode: int | None) -> str:
    if exitcode is not None and exitcode < 0:
        with contextlib.suppress(ValueError):
            return f"the process crashed ({signal.Signals(-exitcode).name})"
    return f"the process ended with status {exitcode} before the code did (os._exit?)"


def _end_group(pid: int | None) -> None:
    """Kill whatever the run left behind: its process group is its own session."""
    if pid is not None and hasattr(os, "killpg"):
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(pid, signal.SIGKILL)


_forking: BaseContext | None = None


def _context() -> BaseContext:
    """A fork server that has torch imported; where there is none (Windows), a fresh process."""
    global _forking
    if _forking is None:
        if "forkserver" in multiprocessing.get_all_start_methods():
            _forking = multiprocessing.get_context("forkserver")
            _forking.set_forkserver_preload(_PRELOADED)
        else:
            _forking = multiprocessing.get_context("spawn")
    return _forking
