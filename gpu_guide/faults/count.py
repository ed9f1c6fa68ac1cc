"""Plant a sample of faults, one at a time, and count who notices them."""

from __future__ import annotations

import hashlib
import re
import tempfile
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TypeVar

from gpu_guide.data.accepted_survivors import Explained
from gpu_guide.faults import equivalent
from gpu_guide.faults.judge import Verdict, judge
from gpu_guide.faults.snippets import KINDS, Fault, planted
from gpu_guide.project import Project
from gpu_guide.records.store import load_records
from gpu_guide.run.machine import describe
from gpu_guide.snippets.model import Snippet

_Made = TypeVar("_Made")

OWN_TESTS = {"check/doctor", "multi_gpu/resume_after_restart"}
"""Programs of many branches, of which one run shows a few: their own tests judge them."""


_HEADING = re.compile(r"^(?=#{1,6} )", re.MULTILINE)
_ORDINAL = re.compile(r"^[ >]*(?:#{1,6} )?\d+\. ", re.MULTILINE)
_FENCE = re.compile(r"^```.*?^```$", re.MULTILINE | re.DOTALL)


@dataclass(frozen=True)
class Result:
    """What came of one fault."""

    where: str
    """The snippet or the file."""
    fault: Fault
    verdict: Verdict
    explained: Explained | None = None

    @property
    def noticeable(self) -> bool:
        """Whether a machine without a GPU can notice it: it ran somewhere and changed something."""
        if self.verdict.caught_by:
            return True
        known = self.explained
        return self.verdict.runs and (known is None or known.reason == "open")

    def __str__(self) -> str:
        fault, caught = self.fault, self.verdict.caught_by
        change = f"{fault.old!r} -> {fault.new!r}" if fault.new else f"without {fault.old!r}"
        who = caught or ("not run here" if not self.verdict.runs else "NOT NOTICED")
        if self.explained:
            who = f"{self.explained.reason}: {self.explained.why}"
        return f"{self.where}:{fault.line}: {fault.kind}: {change}: {who}"


def sample(
    choices: Mapping[str, Sequence[_Made]], count: int, seed: int, name: Callable[[_Made], str]
) -> list[_Made]:
    """`count` of them, as many of each kind as there are: a rare kind is taken whole.

    The `name` of each and the seed decide alone, so that a fault which is gone, or new, leaves the
    rest of the sample as it was.
    """

    def drawn(one: _Made) -> bytes:
        return hashlib.sha256(f"{seed} {name(one)}".encode()).digest()

    waiting = {kind: sorted(some, key=drawn) for kind, some in choices.items()}
    taken: list[_Made] = []
    while any(waiting.values()) and len(taken) < count:
        for some in waiting.values():
            if some and len(taken) < count:
                taken.append(some.pop())
    return taken


def offered(snippets: Iterable[Snippet]) -> dict[str, list[tuple[Snippet, Fault]]]:
    """Every fault that the snippets offer, by kind."""
    found: dict[str, list[tuple[Snippet, Fault]]] = {kind: [] for kind in KINDS}
    for snippet in snippets:
        for fault in planted(snippet.source) if snippet.name not in OWN_TESTS else ():
            found[fault.kind].append((snippet, fault))
    return found


def results(chosen: Iterable[tuple[Snippet, Fault]], project: Project) -> Iterator[Result]:
    """What comes of each, as soon as it is known, with what the rules say of one unnoticed."""
    here, records = describe(), load_records(project)

    def of(snippet: Snippet, fault: Fault) -> Verdict:
        with tempfile.TemporaryDirectory(prefix="fault-") as scratch:
            return judge(snippet, fault, here, records, project, Path(scratch))

    for snippet, fault in chosen:
        verdict = of(snippet, fault)
        known = None
        if verdict.runs and not verdict.caught_by:
            known = equivalent.explained(
                snippet,
                fault,
                lambda other, snippet=snippet: bool(of(snippet, other).caught_by),
                _around(project, snippet.name),
                here.has_gpu,
            )
        yield Result(snippet.name, fault, verdict, known)


def _around(project: Project, name: str) -> str:
    """What the pages say in the sections that show a snippet, without code and numbers of lists."""
    found = []
    for path in sorted(project.docs.rglob("*.md")):
        for section in _HEADING.split(path.read_text(encoding="utf-8")):
            if f"```snippet\n{name}\n" in section:
                found.append(_ORDINAL.sub("", _FENCE.sub("", section)))
    return "\n".join(found)


def explain(
    found: Iterable[Result], known: Mapping[tuple[str, str, str, str], Explained]
) -> list[Result]:
    """The results, with what `known` says of those that nobody noticed and no rule explains."""
    return [
        one
        if one.verdict.caught_by or one.explained
        else replace(one, explained=known.get((one.where, *_change(one.fault))))
        for one in found
    ]


def _change(fault: Fault) -> tuple[str, str, str]:
    return fault.kind, fault.old, fault.new


def table(found: Sequence[Result], kinds: Iterable[str]) -> str:
    """By kind: planted, noticeable without a GPU, noticed by whom, and the share."""
    lines = ["| Kind | Planted | To be noticed | Noticed | By |", "|---|---|---|---|---|"]
    rows: list[tuple[str, Callable[[Result], bool]]] = [
        *((kind, lambda one, kind=kind: one.fault.kind == kind) for kind in kinds),
        ("all", lambda one: True),
    ]
    for name, belongs in rows:
        mine = [one for one in found if belongs(one)]
        if not mine:
            continue
        could = [one for one in mine if one.noticeable]
        by = Counter(one.verdict.caught_by for one in could if one.verdict.caught_by)
        who = ", ".join(f"{tier} {number}" for tier, number in by.most_common())
        lines.append(f"| {name} | {len(mine)} | {len(could)} | {sum(by.values())} | {who} |")
    return "\n".join(lines)


def share(found: Sequence[Result]) -> float:
    """The share noticed of what a machine without a GPU can notice; 1.0 of nothing."""
    could = [one for one in found if one.noticeable]
    return sum(bool(one.verdict.caught_by) for one in could) / len(could) if could else 1.0
