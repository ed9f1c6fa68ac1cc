"""PyTorch's allocator on this machine's GPU against the model: `records/allocator/<…>.json`."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from gpu_guide.problems import fault
from gpu_guide.project import Project
from gpu_guide.records.store import read_file, unreadable, write_file
from gpu_guide.run.machine import Environment

FOLDER = "allocator"
PART = "programs"
_KEYS = {"expandable", "free_mib", "programs", "steps", "events", "difference"}


@dataclass(frozen=True)
class Series:
    """So many programs, played one after the other in one process."""

    name: str
    arguments: tuple[str, ...]
    share: float = 0.0
    """Of the time for all; 0 means that it takes no more than a second."""
    settings: str = ""

    @property
    def command(self) -> tuple[str, ...]:
        """The program that plays them."""
        return (sys.executable, "tests/stand_in/compare_allocator.py", *self.arguments)


SERIES = (
    Series("the traces", ("--traces",)),
    Series("whole GPU", ("900",), 0.3),
    Series(
        "whole GPU, expandable segments", ("900", "--first", "900"), 0.3, "expandable_segments:True"
    ),
    Series("200 MiB left", ("100", "--first", "1800", "--left", "200"), 0.2),
    Series(
        "200 MiB left, expandable segments",
        ("100", "--first", "1900", "--left", "200"),
        0.2,
        "expandable_segments:True",
    ),
)


def compare(
    project: Project, folder: Path, here: Environment, until: float, say: Callable[[str], None]
) -> int:
    """Play every series, and write what came of them after each; 1 if one differs or ended early.

    `until` is by the clock of time.monotonic().
    """
    entries: dict[str, dict[str, Any]] = {}
    began, status = time.monotonic(), 0
    for series in SERIES:
        seconds = max(1.0, series.share * (until - began))
        entry = _played(project, series, seconds)
        entries[series.name] = entry
        write_file(folder, here, PART, entries)
        count = f"{entry['programs']} programs, {entry['steps']} steps"
        say(
            f"  {series.name}: {count}"
            + (f"\n{entry['difference']}" if entry["difference"] else "")
        )
        status = status or int(bool(entry["difference"]))
    return status


def _played(project: Project, series: Series, seconds: float) -> dict[str, Any]:
    around = {name: text for name, text in os.environ.items() if "ALLOC_CONF" not in name}
    around |= {"PYTORCH_ALLOC_CONF": series.settings} if series.settings else {}
    command = [*series.command, "--seconds", f"{seconds:g}"]
    nothing = {"expandable": bool(series.settings), "free_mib": 0, "programs": 0, "steps": 0}
    nothing |= {"events": {}}
    try:
        done = subprocess.run(
            command,
            cwd=project.root,
            env=around,
            capture_output=True,
            text=True,
            timeout=seconds + 30,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return nothing | {"difference": f"did not end within {seconds + 30:g} s"}
    if done.returncode:
        return nothing | {"difference": done.stderr.strip()[-4000:]}
    figures = json.loads(done.stdout)
    return {key: figures[key] for key in sorted(_KEYS - {"difference"})} | {"difference": ""}


def read(path: Path) -> tuple[Environment, dict[str, dict[str, Any]]]:
    """The machine, and what came of each series. Raises GuideError for another file."""
    return read_file(path, PART, _entry)


def _entry(path: Path, name: str, content: Any) -> dict[str, Any]:
    if not isinstance(content, dict) or content.keys() != _KEYS:
        raise unreadable(path, f"{PART}[{name!r}]", f"not the keys {', '.join(sorted(_KEYS))}")
    return content


def check_tools(project: Project) -> None:
    """Raises GuideError where the program that plays them has not been brought along."""
    program = project.root / SERIES[0].command[1]
    if not program.is_file():
        raise fault(program, None, "not here", "bring the whole tree, with tests")
