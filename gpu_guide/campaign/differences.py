"""Where a GPU printed something else than what stands in for one: both texts, side by side."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from gpu_guide.project import Project
from gpu_guide.records import simulated
from gpu_guide.records.store import Record
from gpu_guide.snippets.model import Printed, Snippet


@dataclass(frozen=True)
class Difference:
    """One snippet that printed two things."""

    snippet: str
    where: str
    """What printed the other text: `simulated`, or the id of a stand-in's record."""
    gpu: tuple[str, ...]
    other: tuple[str, ...]


def differences(
    gpu: Record, others: Sequence[Record], snippets: Mapping[str, Snippet], project: Project
) -> list[Difference]:
    """Every snippet whose output on a GPU is not that of a stand-in of `others`, or simulated.

    What measures is left out, because its output differs from run to run.
    """
    found = []
    kept = simulated.read(project.simulated_record)
    for name, entry in sorted(gpu.entries.items()):
        snippet = snippets.get(name)
        if snippet is None or snippet.measures or gpu.fresh(snippet) is None:
            continue
        for where, prints in _expected(snippet, others, kept):
            ours, theirs = _lines(snippet, entry.prints), _lines(snippet, prints)
            if ours != theirs:
                found.append(Difference(name, where, ours, theirs))
    return found


def _expected(
    snippet: Snippet, others: Sequence[Record], kept: Mapping[str, tuple[Printed, ...]]
) -> Iterator[tuple[str, Sequence[Printed]]]:
    for record in others:
        if record.environment.stand_in and (entry := record.fresh(snippet)):
            yield record.environment.id, entry.prints
    if snippet.needs.kind == "any":
        yield "simulated", kept.get(snippet.name, snippet.outputs)
    elif snippet.needs.kind == "cuda" and snippet.simulated:
        yield "simulated", snippet.outputs


def _lines(snippet: Snippet, prints: Sequence[Printed]) -> tuple[str, ...]:
    """What was printed, in the order of the file, whatever the order in which it was printed."""
    shown = sorted(prints, key=lambda one: one.statement)
    return tuple(line for one in shown for line in one.text.split("\n"))


def as_markdown(found: Sequence[Difference], machine: str) -> str:
    """A table of all of them, for a person who will look at each."""
    rows = [f"# {len(found)} outputs of {machine} that are not what was expected", ""]
    for one in found:
        rows += [f"## {one.snippet}: GPU, {one.where}", ""]
        rows += ["```text", *one.gpu, "```", "", "```text", *one.other, "```", ""]
    return "\n".join(rows)
