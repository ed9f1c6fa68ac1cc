"""`record --minutes M`: everything that this machine's GPU can prove, in so many minutes.

What it brings home is one folder of at most eight files, which `adopt` takes over.
"""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

from gpu_guide.campaign import wheels
from gpu_guide.campaign.parts import PARTS, SUMMARY, Part
from gpu_guide.problems import fault
from gpu_guide.project import Project
from gpu_guide.run.machine import Environment, describe

LOG = "log.txt"
_GRACE = 8.0
"""Seconds after which a part that does not keep its time is killed."""
_ASKED = (
    ("nvidia-smi",),
    ("nvidia-smi", "topo", "-m"),
    (
        "nvidia-smi",
        "--query-gpu=clocks.sm,clocks.mem,temperature.gpu,power.draw,pstate",
        "--format=csv",
    ),
)
"""What is asked of the driver before and after, for the log."""


def campaign(
    project: Project,
    out: Path,
    *,
    jobs: int,
    minutes: float,
    here: Environment | None = None,
    say: Callable[[str], None] = print,
) -> int:
    """Run every part that there is time for, and return the exit status.

    The folder `out` holds what was recorded, whenever it ends; the same command continues there.

    0: all parts ran to their ends. 1: some failed, or there was no time for them. Raises GuideError
    where there is no GPU.
    """
    began = time.monotonic()
    here = here or describe()
    if not here.has_gpu:
        remedy = "`make record` without --minutes records a CUDA build without a GPU"
        raise fault(None, None, "no CUDA GPU that PyTorch can use here", remedy)
    out.mkdir(parents=True, exist_ok=True)
    log = _Log(out / LOG, say)
    log(f"{here.gpu}, driver {here.driver}, torch {here.torch}, Python {here.python}, {here.date}")
    log.ask(_ASKED)
    summary: dict[str, Any] = {"environment": asdict(here), "minutes": minutes, "parts": {}}
    _write(out, summary)  # the parts read in it what machine this is: asking takes seconds
    with tempfile.TemporaryDirectory(prefix="gpu-guide-wheels-") as folder:
        for name, part in PARTS.items():
            left = began + minutes * 60 * part.ends - time.monotonic()
            log(f"\n== {part.title}: {max(left, 0):.0f} s")
            around = _around(project, part, Path(folder), log)
            started = time.monotonic()
            if around is None or left < 1:
                what = "left out" if around is None else "left for want of time"
                log(what)
            else:
                arguments = ["--out", str(out), "--jobs", str(jobs), "--seconds", f"{left:.1f}"]
                status = _run([name, *arguments], project, around, left + _GRACE, log)
                what = {0: "done", None: "ended when its time was up"}.get(
                    status, f"not all of it: exit status {status}"
                )
            summary["parts"][name] = {"what": what, "seconds": round(time.monotonic() - started, 1)}
            _write(out, summary)
    log.ask(_ASKED[-1:])
    log(f"\n{time.monotonic() - began:.0f} s of {minutes * 60:.0f}; in {out}:")
    for name, part in summary["parts"].items():
        log(f"  {name:12} {part['seconds']:6.1f} s  {part['what']}")
    return int(any(part["what"] != "done" for part in summary["parts"].values()))


def _write(out: Path, summary: dict[str, Any]) -> None:
    text = json.dumps(summary, ensure_ascii=False, indent=1) + "\n"
    (out / SUMMARY).write_text(text, encoding="utf-8", newline="\n")


def _around(
    project: Project, part: Part, folder: Path, log: Callable[[str], None]
) -> dict[str, str] | None:
    """The variables of the part's process; None where it lacks libraries that were not brought."""
    around = os.environ | {"PYTHONUTF8": "1", "PYTHONUNBUFFERED": "1"}
    if not part.wheels or not (lacking := wheels.lacking()):
        return around
    if wheels.unpack(project, folder) is None:
        log(f"lacks {', '.join(lacking)}: bring them along")
        log(f"`python -m gpu_guide pack` downloads them, into {wheels.folder_of(project)}")
        return None
    path = [str(folder), *filter(None, [around.get("PYTHONPATH")])]
    return around | {"PYTHONPATH": os.pathsep.join(path)}


def _run(
    arguments: list[str],
    project: Project,
    around: Mapping[str, str],
    seconds: float,
    log: Callable[[str], None],
) -> int | None:
    """Run one part, log what it says, and return its exit status; None where it was killed."""
    process = subprocess.Popen(
        [sys.executable, "-m", "gpu_guide.campaign", *arguments],
        cwd=project.root,
        env=dict(around),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        encoding="utf-8",
        errors="replace",
        start_new_session=True,
    )
    assert process.stdout is not None
    reader = threading.Thread(target=_copy, args=(process.stdout, log), daemon=True)
    reader.start()
    try:
        return process.wait(seconds)
    except subprocess.TimeoutExpired:
        return None
    finally:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        reader.join(_GRACE)


def _copy(lines: Any, log: Callable[[str], None]) -> None:
    for line in lines:
        log(line.rstrip("\n"))


class _Log:
    """Says each line, and keeps it in a file, to which a later run adds."""

    def __init__(self, path: Path, say: Callable[[str], None]) -> None:
        self.path, self.say = path, say

    def __call__(self, line: str) -> None:
        self.say(line)
        with self.path.open("a", encoding="utf-8") as file:
            file.write(line + "\n")

    def ask(self, commands: tuple[tuple[str, ...], ...]) -> None:
        """Keep what programs of the driver say, where there are any."""
        for command in commands:
            if shutil.which(command[0]):
                with contextlib.suppress(subprocess.SubprocessError, OSError):
                    asked = subprocess.run(
                        command, capture_output=True, text=True, timeout=20, check=False
                    )
                    self(asked.stdout.rstrip())
