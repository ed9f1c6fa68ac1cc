"""PyTorch's error texts on machines on which CUDA fails: `records/broken/torch-<version>.json`.

The machines are those of data/broken_machines.yml, played by the stand-in. What is said is
PyTorch's own, so nobody types it. Per machine a file holds the hash of what made it (the machine
and the program that makes the calls), each call with what came of it, and how the process ended.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
from collections.abc import Callable, Container, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from gpu_guide.problems import Problem, fault
from gpu_guide.project import Project
from gpu_guide.records.store import read_file, same_versions, unreadable, write_file
from gpu_guide.run.machine import SETTINGS, Environment
from gpu_guide.snippets.code_hash import fingerprint
from gpu_guide.stand_in import probe
from gpu_guide.stand_in.environments import CudaEnvironment
from gpu_guide.stand_in.machine import StandIn
from gpu_guide.stand_in.process import variables

PROGRAM = Path(probe.__file__)
_PART = "machines"


@dataclass(frozen=True)
class Said:
    """What one version says on one machine."""

    sha256: str
    calls: Mapping[str, tuple[str, ...]]
    """By call in their order: its warnings, then "works", the value, or the error."""
    ended: str
    """How the process ended: "ok", a status, or a signal's name."""

    @property
    def words(self) -> tuple[str, ...]:
        """All errors and warnings, each once, without the names of their classes."""
        texts = [text for said in self.calls.values() for text in said]
        named = [text.split(": ", 1) for text in texts if ": " in text]
        return tuple(dict.fromkeys(parts[1] for parts in named))


def sha256_of(machine: StandIn) -> str:
    """The hash of what decides what is said, PyTorch's version left aside."""
    conditions = json.dumps(machine.environment(), sort_keys=True)
    return fingerprint(PROGRAM.read_text(encoding="utf-8"), conditions)


def files(project: Project) -> list[Path]:
    """The project's files, a version each, in the order of their names."""
    return sorted(project.broken_records.glob("torch-*.json"))


def behind(
    known: Mapping[Path, tuple[Environment, Mapping[str, Said]] | None],
    machines: Mapping[str, StandIn],
) -> Iterator[Problem]:
    """What the files do not hold of today's `machines`; None means one that is unreadable."""
    for path, content in known.items():
        for id, machine in machines.items() if content else ():
            one = content[1].get(id)
            if one is None or one.sha256 != sha256_of(machine):
                what = f"{id}: {'changed since this was said' if one else 'nothing is recorded'}"
                yield Problem(path, None, what, "run `python -m gpu_guide symptoms`")


def read(path: Path) -> tuple[Environment, dict[str, Said]]:
    """One version's file. Raises GuideError where it is not what `write` writes."""
    return read_file(path, _PART, _said)


def _said(path: Path, id: str, entry: Any) -> Said:
    where = f"{_PART}[{id!r}]"
    if not isinstance(entry, dict) or entry.keys() != {"sha256", "calls", "ended"}:
        raise unreadable(path, where, "not the keys 'sha256', 'calls', 'ended'")
    calls = entry["calls"]
    if not isinstance(entry["sha256"], str) or not isinstance(entry["ended"], str):
        raise unreadable(path, where, "sha256 or ended is no text")
    if not isinstance(calls, dict) or not all(
        isinstance(said, list) and said and all(isinstance(text, str) for text in said)
        for said in calls.values()
    ):
        raise unreadable(path, f"{where}.calls", "not a list of texts for each call")
    kept = {call: tuple(said) for call, said in calls.items()}
    return Said(entry["sha256"], kept, entry["ended"])


def write(environment: Environment, said: Mapping[str, Said], folder: Path) -> Path:
    """Write one version's file whole or not at all, and return its path."""
    entries = {
        id: {
            "sha256": one.sha256,
            "calls": {call: list(texts) for call, texts in one.calls.items()},
            "ended": one.ended,
        }
        for id, one in said.items()
    }
    return write_file(folder, environment, _PART, entries)


def ask(python: Path, machine: StandIn, variables: Mapping[str, str]) -> tuple[Environment, Said]:
    """Make the calls in a process of `python` with all of the `variables` that have it run on
    `machine`, and say with which versions. Raises GuideError."""
    command = [str(python), "-P", str(PROGRAM)]
    made = {**variables, "PYTHONUTF8": "1"}
    done = subprocess.run(command, env=made, capture_output=True, text=True, timeout=300)
    lines = done.stdout.splitlines()
    try:
        versions, calls = json.loads(lines[0]), dict(map(json.loads, lines[1:]))
    except (IndexError, ValueError) as error:
        words = done.stderr.strip() or str(error)
        remedy = "see whether `python -m gpu_guide stand-in -- python -c 'import torch'` works"
        raise fault(PROGRAM, None, f"PyTorch did not begin to answer: {words}", remedy) from None
    here = Environment(
        id=f"torch-{versions['torch'].partition('+')[0]}",
        gpu=machine.name,
        gpus=machine.count,
        driver="",
        date=datetime.now(UTC).date().isoformat(),
        **versions,
    )
    kept = {call: tuple(texts) for call, texts in calls.items()}
    return here, Said(sha256_of(machine), kept, _ended(done.returncode))


def unbiased(variables: Mapping[str, str]) -> dict[str, str]:
    """Variables of a process without those that PyTorch or CUDA obeys, and that compute values."""
    left_out = (*SETTINGS, "CUDA_VISIBLE_DEVICES", "PYTHONPATH")
    return {name: value for name, value in variables.items() if name not in left_out}


def _ended(status: int) -> str:
    if status >= 0:
        return "ok" if status == 0 else f"status {status}"
    try:
        return signal.Signals(-status).name
    except ValueError:
        return f"signal {-status}"


def record(
    machines: Mapping[str, StandIn],
    cuda: CudaEnvironment,
    folder: Path,
    *,
    again: Container[str] = (),
    say: Callable[[str], None] = print,
) -> Path | None:
    """Run what is not recorded of today's machines with this version, and write its file.

    Those that are named in `again` are run in any case. Machines that are no longer in `machines`
    are dropped. The file is written after each machine; returns its path, or None if nothing had to
    be run or dropped. Raises GuideError.
    """
    path = folder / f"torch-{cuda.torch.partition('+')[0]}.json"
    old, known = read(path) if path.exists() else (None, {})
    kept = {id: one for id, one in known.items() if id in machines}
    missing = [
        id
        for id, machine in machines.items()
        if id in again or id not in kept or kept[id].sha256 != sha256_of(machine)
    ]
    written = None
    while missing:
        id = missing.pop(0)
        made = variables(cuda, machines[id], around=unbiased(os.environ))
        here, told = ask(cuda.python, machines[id], made)
        if old is not None and not same_versions(old, here):
            # A file is of one set of versions, so what was said by others is asked again.
            old, kept, missing = None, {}, [other for other in machines if other != id]
        changed = id in known and known[id].calls != told.calls
        say(f"  {here.id} {id}: {'says something else' if changed else 'recorded'}")
        kept[id] = told
        written = write(here, kept, folder)
    if written is None and old is not None and kept.keys() != known.keys():
        written = write(old, kept, folder)
    return written
