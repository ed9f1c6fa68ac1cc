"""The order in which snippets are recorded: first what nobody knows yet, because time may be
short."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from gpu_guide.records.store import Record
from gpu_guide.run.alone import why_alone
from gpu_guide.run.tiers import speaks_of_devices
from gpu_guide.snippets.model import Snippet


@dataclass(frozen=True)
class Phase:
    """Snippets that are run before those of the next phase."""

    snippets: tuple[Snippet, ...]
    alone: bool
    """Whether each of them has to run alone."""


def schedule(snippets: Iterable[Snippet], records: Sequence[Record]) -> list[Phase]:
    """The phases: what only a GPU can answer, side by side and then alone; then the rest likewise.

    Within each, what no machine of the `records` has run comes first, then what needs a GPU, then
    what measures, then what speaks of devices.
    """
    ranked = sorted(snippets, key=lambda snippet: (_rank(snippet, records), snippet.name))
    phases = [
        Phase(tuple(one for one in ranked if _of(one) == (rest, alone)), alone)
        for rest in (False, True)
        for alone in (False, True)
    ]
    return [phase for phase in phases if phase.snippets]


def needs_hardware(snippet: Snippet) -> bool:
    """Whether only a GPU can answer what it prints."""
    return snippet.needs.kind == "cuda" or snippet.measures


def _of(snippet: Snippet) -> tuple[bool, bool]:
    return not needs_hardware(snippet), bool(why_alone(snippet))


def _rank(snippet: Snippet, records: Sequence[Record]) -> int:
    needs_gpu = snippet.needs.kind == "cuda"
    if needs_gpu and not snippet.simulated and not any(one.fresh(snippet) for one in records):
        return 0
    ranks = (needs_gpu, snippet.measures, speaks_of_devices(snippet), True)
    return 1 + ranks.index(True)
