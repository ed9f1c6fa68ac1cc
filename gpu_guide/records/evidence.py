"""Evidence for a page: where a snippet's code last ran, and what it printed there.

A published page has passed the tests, so its CPU outputs are those of the torch in
constraints.txt. A GPU is named only from a record that was made from today's code. These are the
facts; render/provenance.py puts them into the words of a language.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path

from gpu_guide.problems import fault
from gpu_guide.records.store import Record
from gpu_guide.run.machine import Environment
from gpu_guide.snippets.model import Printed, Snippet


@dataclass(frozen=True)
class Processes:
    """How many processes distributed code ran in, and what they talked over."""

    count: int
    backend: str


@dataclass(frozen=True)
class OnCpu:
    """CI's CPU, with the torch that constraints.txt pins."""

    torch: str
    processes: Processes | None = None
    libraries: tuple[str, ...] = ()
    """Names and versions of other libraries that the code uses."""


@dataclass(frozen=True)
class OnMachine:
    """A machine that recorded today's code, as it was on that day."""

    machine: Environment
    processes: Processes | None = None


@dataclass(frozen=True)
class Simulated:
    """So many pretended GPUs, while no machine has recorded the code."""

    gpus: int


@dataclass(frozen=True)
class NotRecorded:
    """Nowhere yet: only a GPU can answer the code, and no machine has recorded it."""


Origin = OnCpu | OnMachine | Simulated | NotRecorded


@dataclass(frozen=True)
class Run:
    """One output, as a page shows it, and all that printed it."""

    prints: tuple[Printed, ...]
    origins: tuple[Origin, ...]


def pinned_torch(constraints: Path) -> str:
    """The torch that CI runs the snippets with. Raises GuideError if it is not pinned."""
    text = constraints.read_text(encoding="utf-8") if constraints.is_file() else ""
    match = re.search(r"^torch==(\S+)$", text, re.MULTILINE)
    if match is None:
        raise fault(constraints, None, "torch is not pinned", "add a line torch==…")
    return match[1]


def runs(snippet: Snippet, records: Iterable[Record], torch: str) -> list[Run]:
    """The outputs to show, first the one that is shown open: one per group of equal machines.

    `torch` is the pinned one. Machines are equal if a page would show the same of them, whatever
    the order in which they printed. What printed nothing comes last, so that no reader has to look
    for the output behind a tab. A stand-in GPU's output is shown only while no GPU has printed its
    own, and simulated output only while neither has.
    """
    shown = [run for record in records if (run := _recorded(snippet, record))]
    shown = [run for run in shown if not _of_stand_in(run)] or shown
    if snippet.needs.kind != "cuda":
        libraries = tuple(map(str, snippet.needs.libraries))
        origin = OnCpu(torch, _processes(snippet, gpus=0), libraries)
        shown.insert(0, Run(snippet.outputs, (origin,)))
    elif not shown:
        origin = Simulated(snippet.needs.count) if snippet.simulated else NotRecorded()
        shown.append(Run(snippet.outputs, (origin,)))
    grouped: dict[str, Run] = {}
    for run in shown:
        text = snippet.with_outputs(run.prints)
        first = grouped.get(text)
        grouped[text] = replace(first, origins=first.origins + run.origins) if first else run
    return sorted(grouped.values(), key=lambda run: not run.prints)


def _recorded(snippet: Snippet, record: Record) -> Run | None:
    entry = record.fresh(snippet)
    return Run(entry.prints, (recorded_on(snippet, record),)) if entry else None


def _of_stand_in(run: Run) -> bool:
    return any(isinstance(one, OnMachine) and one.machine.stand_in for one in run.origins)


def recorded_on(snippet: Snippet, record: Record) -> OnMachine:
    """The machine of a record that holds `snippet`, on the day on which it ran there."""
    machine = record.machine(snippet.name)
    return OnMachine(machine, _processes(snippet, machine.gpus))


def _processes(snippet: Snippet, gpus: int) -> Processes | None:
    """Distributed code's processes: over NCCL only where each has a GPU."""
    if snippet.needs.kind != "torchrun":
        return None
    return Processes(snippet.needs.count, "NCCL" if gpus >= snippet.needs.count else "gloo")


def stale_on(snippet: Snippet, records: Iterable[Record]) -> list[Environment]:
    """The machines that ran older code of this snippet."""
    return [record.machine(snippet.name) for record in records if record.stale(snippet)]
