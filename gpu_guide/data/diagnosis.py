"""Typed access to `data/diagnosis.yml`: the rules by which a pasted text is diagnosed.

A malformed file is refused with file, line, key and remedy.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

from gpu_guide.data.entries import Texts, entries, only_once, typed
from gpu_guide.data.errors import load_errors, pieces
from gpu_guide.data.wheels import load_wheels
from gpu_guide.problems import did_you_mean, fault
from gpu_guide.project import Project
from gpu_guide.snippets.model import Language

LEVELS = ("root", "usual", "consequence", "healthy", "warning", "remark")
"""Of two causes in one text, the one of the earlier level comes first."""

_CONDITION = re.compile(r"(?P<absent>!)?(?P<fact>[a-z_][a-z_0-9 ./-]*?)(?: = (?P<pattern>.+))?")
_SLOW = re.compile(r"[+*}][^)|]*\)[+*{]|[+*]\?|\(\?|\\[1-9]")


@dataclass(frozen=True)
class Condition:
    """A fact of which a value has to fit the pattern, or, if `absent`, none may."""

    fact: str
    pattern: str
    absent: bool = False


Alternative = tuple[Condition, ...]


@dataclass(frozen=True)
class Cause:
    """What may be wrong, and what names it; data/diagnosis.yml says what the keys mean."""

    id: str
    page: str
    means: Texts
    fix: Texts
    run: tuple[str, ...]
    level: str = "usual"
    messages: tuple[str, ...] = ()
    says: tuple[str, ...] = ()
    when: tuple[str, ...] = ()
    doctor: tuple[str, ...] = ()
    seen: Texts = field(default_factory=dict, hash=False)
    over: tuple[str, ...] = ()

    @property
    def alternatives(self) -> tuple[Alternative, ...]:
        """What `when` says, read."""
        return tuple(map(alternative, self.when))


@dataclass(frozen=True)
class Note:
    """What is worth knowing and no fault."""

    id: str
    page: str
    text: Mapping[Language, str]
    when: tuple[str, ...]

    @property
    def alternatives(self) -> tuple[Alternative, ...]:
        """What `when` says, read."""
        return tuple(map(alternative, self.when))


@dataclass(frozen=True)
class Field:
    """What a field of nvidia-smi means, where its content matches `value`."""

    id: str
    text: Mapping[Language, str]
    value: str = ""


@dataclass(frozen=True)
class Card:
    """GPUs with one compute capability: the words of their names, and the first CUDA for them."""

    capability: str
    names: tuple[str, ...]
    cuda: str = ""


@dataclass(frozen=True)
class Knowledge:
    """All that is known: the rules, and of data/wheels.yml what they need.

    `drivers` has the oldest driver by CUDA's version, from 11 on its major version, for Linux and
    for Windows; `builds` the
    architectures of a release of torch for a CUDA version; `vague` the words beside which a message
    counts.
    """

    causes: tuple[Cause, ...]
    notes: tuple[Note, ...]
    fields: tuple[Field, ...]
    cards: tuple[Card, ...]
    mentions: tuple[Mention, ...]
    levels: Mapping[str, str]
    vague: Mapping[str, tuple[str, ...]]
    drivers: Mapping[str, tuple[str, str]]
    builds: Mapping[tuple[str, str], tuple[str, ...]]

    def card(self, name: str) -> Card | None:
        """The entry with the longest name whose words follow one another in the GPU's name."""
        words = f" {_words(name)} "
        found = [
            (len(known), card)
            for card in self.cards
            for known in card.names
            if f" {_words(known)} " in words
        ]
        return max(found, key=lambda one: one[0])[1] if found else None


def _words(name: str) -> str:
    return " ".join(re.findall("[a-z0-9]+", name.lower()))


@dataclass(frozen=True)
class Mention:
    """A fact of each line in which the pattern is found, with what is found as its value."""

    fact: str
    pattern: str


@dataclass(frozen=True)
class OldDriver:
    """The oldest driver for one CUDA version, where that of the major version does not hold."""

    cuda: str
    linux: str
    windows: str


@dataclass(frozen=True)
class _Messages:
    level: str
    ids: tuple[str, ...]


@dataclass(frozen=True)
class _Vague:
    ids: tuple[str, ...]
    words: tuple[str, ...]


_KINDS: dict[str, type] = {
    "cause": Cause,
    "note": Note,
    "field": Field,
    "card": Card,
    "driver": OldDriver,
    "mention": Mention,
    "messages": _Messages,
    "vague": _Vague,
}


def load_diagnosis(project: Project) -> Knowledge:
    """The rules of data/diagnosis.yml with what they need of the other data. Raises GuideError."""
    path = project.diagnosis
    messages = load_errors(project)
    found: dict[str, list[Any]] = {kind: [] for kind in _KINDS}
    taken: dict[str, str] = {}
    places: dict[str, int] = {}
    for line, entry in entries(path):
        kind = str(entry.pop("kind", ""))
        if kind not in _KINDS:
            remedy = did_you_mean(kind, _KINDS)
            raise fault(path, line, f"kind: {kind!r}", remedy)
        one = typed(path, line, _KINDS[kind], entry, project.languages)
        for text in getattr(one, "when", ()):
            _check_when(path, line, text)
        if kind in ("cause", "note"):
            only_once(path, line, "id", one.id, [other.id for other in found[kind]])
        level = getattr(one, "level", LEVELS[0])
        if level not in LEVELS:
            raise fault(path, line, f"level: {level!r}", f"the levels are {', '.join(LEVELS)}")
        for id in getattr(one, "messages", getattr(one, "ids", ())):
            if id not in messages:
                remedy = did_you_mean(id, messages, "the messages are in data/errors")
                raise fault(path, line, f"no message {id!r}", remedy)
            if kind == "cause" and taken.setdefault(id, one.id) != one.id:
                problem = f"message {id!r}, which {taken[id]!r} has"
                raise fault(path, line, problem, "keep it in one cause")
        for wording in getattr(one, "says", ()):
            if len("".join(pieces(wording))) < 6:
                remedy = "write more of the message: so little is found everywhere"
                raise fault(path, line, f"says: {wording!r}", remedy)
        if isinstance(one, Cause) and not (one.messages or one.says or one.when or one.doctor):
            raise fault(path, line, "nothing names it", "add messages, says, when or doctor")
        told = isinstance(one, Cause) and (one.messages or one.says or one.level == "healthy")
        if isinstance(one, Cause) and bool(one.seen) == bool(told):
            remedy = "write 'seen' where neither messages nor says tell what stands in the text"
            raise fault(path, line, f"seen: {one.seen}", remedy)
        if isinstance(one, Field | Mention):
            _check_pattern(path, line, one.value if isinstance(one, Field) else one.pattern)
        found[kind].append(one)
        if isinstance(one, Cause):
            places[one.id] = line
    for cause in found["cause"]:
        for id in cause.over:
            known = places.keys() | messages.keys()
            if id not in known or not cause.when:
                remedy = did_you_mean(id, known, "name a cause, and say in 'when' where it is so")
                raise fault(path, places[cause.id], f"over: {id!r}", remedy)
    wheels = load_wheels(project)
    return Knowledge(
        tuple(found["cause"]),
        tuple(found["note"]),
        tuple(found["field"]),
        tuple(found["card"]),
        tuple(found["mention"]),
        {id: group.level for group in found["messages"] for id in group.ids},
        {id: group.words for group in found["vague"] for id in group.ids},
        {one.cuda: (one.linux, one.windows) for one in (*found["driver"], *wheels.drivers)},
        {(build.torch, build.cuda): build.x86_64 for build in wheels.builds if build.x86_64},
    )


@cache
def alternative(text: str) -> Alternative:
    """'NAME = PATTERN & !NAME', read. Raises ValueError."""
    conditions: list[Condition] = []
    for part in text.split(" & "):
        at = _CONDITION.fullmatch(part)
        if not at:
            raise ValueError(part)
        conditions.append(Condition(at["fact"], at["pattern"] or "", bool(at["absent"])))
    return tuple(conditions)


def _check_when(path: Path, line: int, text: str) -> None:
    try:
        conditions = alternative(text)
    except ValueError as error:
        problem = f"when: {str(error)!r}"
        raise fault(path, line, problem, "write 'NAME = PATTERN' or '!NAME'") from None
    for condition in conditions:
        _check_pattern(path, line, condition.pattern)
    if all(condition.absent for condition in conditions):
        raise fault(path, line, f"when: {text!r} names nothing", "add a fact that has to be there")


def _check_pattern(path: Path, line: int, pattern: str) -> None:
    """A pattern is one that Python and JavaScript read alike, and that no text makes slow."""
    try:
        re.compile(pattern)
    except re.error as error:
        raise fault(path, line, f"pattern {pattern!r}: {error}", "correct it") from None
    if _SLOW.search(pattern) or not pattern.isascii():
        remedy = "write it without a repetition in a repetition, (?…) and \\1"
        raise fault(path, line, f"pattern {pattern!r} may be slow or read in two ways", remedy)
