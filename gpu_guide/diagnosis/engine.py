"""The verdict on a pasted text: which cause of data/diagnosis.yml its facts and messages name.

Where they name none, the verdict is "unknown": nothing is guessed. Where they name only warnings
after which a program continues, it is "remark", or "unknown" if there is an error beside them.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from gpu_guide.data.diagnosis import LEVELS, Condition, Knowledge
from gpu_guide.data.errors import Message, pieces, place, plain
from gpu_guide.diagnosis.facts import Reading, read

MOST_LINES = 4
MOST_OTHERS = 3
RAISED = re.compile(r"Traceback \(most|[A-Za-z](Error|Exception)\b", re.ASCII)
"""What a line that reports any error contains."""


@dataclass(frozen=True)
class Finding:
    """A cause or a note, and the lines of the text that name it."""

    id: str
    lines: tuple[int, ...]


@dataclass
class Verdict:
    """`kind` is fault, healthy, remark or unknown; `main` is there unless it is unknown."""

    kind: str
    main: Finding | None
    others: list[Finding]
    notes: list[Finding]
    reading: Reading = field(repr=False)


def diagnose(text: str, known: Knowledge, messages: Mapping[str, Message]) -> Verdict:
    """The cause that the text names; messages are those of data/errors."""
    reading = read(text, known)
    found = _Found(reading.lines)
    ranked: list[tuple[int, int, int, Finding]] = []
    taken: set[str] = set()
    covered: set[str] = set()
    vague = {
        id for id, words in known.vague.items() if not any(word in found.text for word in words)
    }
    for order, cause in enumerate(known.causes):
        says = [(wording, "") for wording in cause.says]
        says += [(wording, id) for id in cause.messages for wording in messages[id].says]
        taken |= set(cause.messages)
        lines = [line for wording, id in says if id not in vague for line in found.lines(wording)]
        met = [n for one in cause.alternatives for n in _holds(one, reading) or ()]
        lines += met
        covered |= set(cause.over if met else ())
        codes = [line for code, line in reading.facts.get("doctor", []) if code in cause.doctor]
        if lines or codes:
            level = -1 if codes else LEVELS.index(cause.level)
            ordered = tuple(dict.fromkeys(codes + sorted(lines)))
            ranked.append((level, min(ordered), order, Finding(cause.id, ordered[:MOST_LINES])))
    for order, message in enumerate(messages.values(), len(known.causes)):
        if message.id in taken or message.id in vague:
            continue
        lines = sorted({line for wording in message.says for line in found.lines(wording)})
        if lines:
            level = LEVELS.index(known.levels.get(message.id, "usual"))
            ranked.append((level, lines[0], order, Finding(message.id, tuple(lines[:MOST_LINES]))))
    for code, line in reading.facts.get("doctor", []):
        if not any(code in cause.doctor for cause in known.causes):
            ranked.append((-1, line, -1, Finding(f"doctor-{code}", (line,))))
    ranked.sort(key=lambda one: one[:3])
    kept = [(level, one) for level, *_, one in ranked if level < 0 or one.id not in covered]
    findings = [one for _, one in kept]
    notes = [
        Finding(note.id, tuple(dict.fromkeys(lines))[:MOST_LINES])
        for note in known.notes
        if (lines := [n for one in note.alternatives for n in _holds(one, reading) or ()])
    ]
    healthy = {cause.id for cause in known.causes if cause.level == "healthy"}
    main, others = (findings[0], findings[1:]) if findings else (None, [])
    kind = "unknown" if not main else "healthy" if main.id in healthy else "fault"
    if kind == "healthy":
        others = []
    elif kept and kept[0][0] == LEVELS.index("remark"):
        kind = "remark"
        lines = enumerate(reading.lines)
        if any(at not in main.lines and RAISED.search(line) for at, line in lines):
            kind, main, others = "unknown", None, findings
    others = [finding for finding in others if finding.id not in healthy]
    return Verdict(kind, main, others[:MOST_OTHERS], notes, reading)


class _Found:
    """Positions of wordings in the lines of a text: the rule of `errors.found_in`, with places."""

    def __init__(self, lines: Iterable[str]) -> None:
        self.numbers: list[int] = []
        self.starts: list[int] = []
        parts: list[str] = []
        at = 0
        for number, line in enumerate(lines):
            if low := plain(line):
                self.numbers.append(number)
                self.starts.append(at)
                parts.append(low)
                at += len(low) + 1
        self.text = " ".join(parts)

    def lines(self, wording: str) -> list[int]:
        """The lines of the first place of the wording."""
        found = place(self.text, pieces(wording))
        if found is None:
            return []
        first, last = (bisect_right(self.starts, at) - 1 for at in (found[0], found[1] - 1))
        return self.numbers[first : last + 1]


def _holds(conditions: tuple[Condition, ...], reading: Reading) -> list[int] | None:
    """The lines by which all conditions are met; None where one is not."""
    lines: list[int] = []
    for condition in conditions:
        values = reading.facts.get(condition.fact, [])
        met = [line for value, line in values if re.search(condition.pattern, value, re.I)]
        if condition.absent:
            if met:
                return None
        elif not met:
            return None
        else:  # what follows from several lines is named by all of them
            lines += met[:1] if condition.pattern else met
    return sorted(set(lines))
