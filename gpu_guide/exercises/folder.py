"""The reader's folder: a copy of each program, with its task on top, and what is solved."""

from __future__ import annotations

import json
import textwrap
import unicodedata
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from gpu_guide.exercises.source import Exercise
from gpu_guide.problems import fault

WIDTH = 78
_PROGRESS = ".progress.json"


@dataclass(frozen=True)
class Folder:
    """Where a reader works. What is there is never written over, unless by `reset`."""

    path: Path
    exercises: Mapping[str, Exercise]
    language: str
    own: Path | None = None
    """The one program that lies elsewhere, if one is checked that does."""

    def fill(self) -> None:
        """Copy whatever is not there yet. Raises GuideError where nothing can be written."""
        for exercise in self.exercises.values():
            if not self.file(exercise).exists():
                self.reset(exercise)

    def file(self, exercise: Exercise) -> Path:
        """The reader's copy of the program."""
        return self.own or self.path / f"{exercise.name}.py"

    def reset(self, exercise: Exercise) -> bool:
        """The program as it was; what the reader has written stays beside it, as `.old`.

        Whether there is such a file now.
        """
        file = self.file(exercise)
        text = copy_of(exercise, self.language)
        try:
            file.parent.mkdir(parents=True, exist_ok=True)
            changed = file.exists() and file.read_text(encoding="utf-8") != text
            if changed:
                file.replace(file.with_suffix(".py.old"))
            file.write_text(text, encoding="utf-8")
        except OSError as error:
            problem = f"cannot be written: {error.strerror}"
            raise fault(file, 1, problem, "name another folder with --folder") from None
        return changed

    def solved(self) -> list[str]:
        """The names of what is solved. Raises GuideError for a progress that cannot be read."""
        return self._progress()["solved"]

    def solve(self, exercise: Exercise) -> None:
        """Remember that it is."""
        progress = self._progress()
        if exercise.name not in progress["solved"]:
            progress["solved"].append(exercise.name)
            self._write(progress)

    def forget(self, exercise: Exercise) -> None:
        """It is not solved, and none of its hints were read."""
        progress = self._progress()
        progress["solved"] = [name for name in progress["solved"] if name != exercise.name]
        progress["hints"].pop(exercise.name, None)
        self._write(progress)

    def next_hint(self, exercise: Exercise) -> str:
        """The key of the hint that comes next: after the last one, the last one again."""
        progress = self._progress()
        seen = progress["hints"].get(exercise.name, 0)
        progress["hints"][exercise.name] = min(seen + 1, 2)
        self._write(progress)
        return "last_hint" if seen else "hint"

    def next(self) -> Exercise | None:
        """The first that is not solved; None if all are."""
        solved = set(self.solved())
        return next((one for name, one in self.exercises.items() if name not in solved), None)

    def _progress(self) -> dict:
        file = self.path / _PROGRESS
        if not file.is_file():
            return {"solved": [], "hints": {}}
        try:
            found = json.loads(file.read_text(encoding="utf-8"))
            return {"solved": list(found["solved"]), "hints": dict(found["hints"])}
        except (ValueError, KeyError, TypeError):
            remedy = "delete it: your programs stay as they are, and are checked again"
            raise fault(file, 1, "not a list of what is solved", remedy) from None

    def _write(self, progress: dict) -> None:
        text = json.dumps(progress, indent=1, ensure_ascii=False) + "\n"
        (self.path / _PROGRESS).write_text(text, encoding="utf-8")


def copy_of(exercise: Exercise, language: str) -> str:
    """The program as a reader gets it: its title and its task as comments, then the code."""
    words = exercise.start.words[language]
    lines = [words["title"], "", *wrapped(words["task"], WIDTH - 2)]
    comment = "\n".join(f"# {line}".rstrip() for line in lines)
    return f"{comment}\n\n{exercise.program.read_text(encoding='utf-8')}"


def wrapped(text: str, width: int) -> list[str]:
    """Lines of at most so many columns; a Chinese character takes two, and needs no space."""
    if not any(_columns(character) == 2 for character in text):
        return textwrap.wrap(text, width, break_on_hyphens=False, break_long_words=False)
    return list(_of_columns(_units(text), width))


def _units(text: str) -> Iterator[str]:
    """What is not cut: a Latin word with the space behind it, a character with the mark behind."""
    unit = ""
    for character in text:
        mark = unicodedata.category(character) in ("Po", "Pe", "Pf")
        joined = _columns(unit[-1:]) == _columns(character) == 1 and unit[-1:] != " "
        if unit and not mark and not joined and character != " ":
            yield unit
            unit = ""
        unit += character
    yield unit


def _of_columns(units: Iterable[str], width: int) -> Iterator[str]:
    line = ""
    for unit in units:
        if line and sum(map(_columns, line + unit.rstrip())) > width:
            yield line.rstrip()
            line = ""
        line += unit
    yield line.rstrip()


def _columns(character: str) -> int:
    return 2 if unicodedata.east_asian_width(character or "a") in "WF" else 1
