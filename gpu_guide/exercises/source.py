"""The exercises as they lie in `exercises/`: a folder each, in the order of `exercises/order.yml`.

`program.py` is what the reader mends, `solution.py` a right one, `check.py` says what is wrong, and
`text.yml` has the words, and attempts: `exercises/README.md` tells how to write one.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from gpu_guide.data.entries import Rows, entries, only_once, rows, typed
from gpu_guide.problems import did_you_mean, fault
from gpu_guide.project import Project
from gpu_guide.snippets.model import Language

TEXTS = ("title", "task", "hint", "last_hint", "reason")
COMMON = frozenset(
    {"stopped", "missing", "hangs", "not_simulated", "ended", "unusable", "no_python"}
)
"""Sentences that every exercise has: the texts.yml of this room."""


@dataclass(frozen=True)
class Topic:
    """Exercises of one page of the guide, in their order."""

    page: str
    exercises: tuple[str, ...]


@dataclass(frozen=True)
class Attempt:
    """An attempt, as changes of the program, and the sentence that it gets: `right` if none."""

    attempt: str
    change: Mapping[str, str]

    @property
    def key(self) -> str:
        """The sentence's key; empty where there is nothing to say."""
        return "" if self.attempt == "right" else self.attempt

    def written(self, program: str) -> str:
        """The program as somebody has changed it."""
        for old, new in self.change.items():
            program = program.replace(old, new)
        return program


@dataclass(frozen=True)
class Sentence:
    """What the check says of one mistake; names in braces are filled in by it."""

    says: str
    texts: Mapping[Language, str]


@dataclass(frozen=True)
class Start:
    """The first entry of a text.yml: exercises/README.md says what the keys mean."""

    section: str
    broken: str
    words: Rows = field(metadata=rows(*TEXTS))
    gpus: tuple[str, ...] = ()
    processes: int = 1
    memory: bool = False


@dataclass(frozen=True)
class Exercise:
    """One program to mend."""

    name: str
    """As `to/dropped_result`: its folder below exercises/."""
    folder: Path
    page: str
    start: Start
    says: Mapping[str, Sentence]
    attempts: tuple[Attempt, ...]
    lines: tuple[int, ...]
    """Where in its text.yml each attempt stands."""

    @property
    def program(self) -> Path:
        """What the reader mends."""
        return self.folder / "program.py"

    @property
    def solution(self) -> Path:
        return self.folder / "solution.py"

    @property
    def check(self) -> Path:
        return self.folder / "check.py"

    @property
    def text(self) -> Path:
        return self.folder / "text.yml"

    @cached_property
    def gpus(self) -> tuple[int, ...]:
        """On machines with so many GPUs it has to be right; processes talk on the CPU, by gloo."""
        usual = ("2",) if self.start.processes == 1 else ("0",)
        return tuple(int(number) for number in self.start.gpus or usual)


def load_topics(project: Project) -> dict[str, Topic]:
    """The topics in the order of exercises/order.yml, by page. Raises GuideError."""
    path = project.exercises / "order.yml"
    topics: dict[str, Topic] = {}
    for line, entry in entries(path):
        topic = typed(path, line, Topic, entry)
        only_once(path, line, "page", topic.page, topics)
        topics[topic.page] = topic
    return topics


def load_exercises(project: Project) -> dict[str, Exercise]:
    """All exercises by name, in their order. Raises GuideError."""
    order = project.exercises / "order.yml"
    there = {
        str(file.parent.relative_to(project.exercises).as_posix())
        for file in project.exercises.glob("*/*/text.yml")
    }
    exercises: dict[str, Exercise] = {}
    for topic in load_topics(project).values():
        for name in topic.exercises:
            if name not in there:
                remedy = did_you_mean(name, there, f"write exercises/{name}/text.yml")
                raise fault(order, 1, f"no exercise {name!r}", remedy)
            only_once(order, 1, "exercises", name, exercises)
            exercises[name] = _exercise(project, name, topic.page)
    for name in sorted(there - exercises.keys()):
        remedy = "name it in a topic, or delete it"
        raise fault(order, 1, f"exercise {name!r} is on no page", remedy)
    return exercises


def _exercise(project: Project, name: str, page: str) -> Exercise:
    folder = project.exercises / name
    path, (first, *rest) = folder / "text.yml", entries(folder / "text.yml")
    start = typed(path, first[0], Start, first[1], project.languages)
    if not all(number.isdecimal() for number in start.gpus) or start.processes not in (1, 2):
        remedy = 'write gpus: ["0", "2"], and processes: 2 or nothing'
        raise fault(path, first[0], "not a number of GPUs, or of processes", remedy)
    says: dict[str, Sentence] = {}
    attempts: list[Attempt] = []
    lines: list[int] = []
    for line, entry in rest:
        if "attempt" in entry:
            attempts.append(typed(path, line, Attempt, entry))
            lines.append(line)
            continue
        sentence = typed(path, line, Sentence, entry, project.languages)
        only_once(path, line, "says", sentence.says, says)
        says[sentence.says] = sentence
    return Exercise(name, folder, page, start, says, tuple(attempts), tuple(lines))
