"""What is wrong, where, and what to do: one form for every check and every refusal."""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from gpu_guide import ROOT


@dataclass(frozen=True)
class Problem:
    """One thing that is wrong: a message that names the file, the line and the remedy."""

    file: Path | None
    """None where no file is at fault."""
    line: int | str | None
    """A line, counted from 1, or the part of a file without lines; None for the whole file."""
    what: str
    remedy: str

    def __str__(self) -> str:
        place = "" if self.line is None else f":{self.line}"
        where = "" if self.file is None else f"{shown(self.file)}{place}: "
        return f"{where}{self.what} — {self.remedy}"


class GuideError(ValueError):
    """Something cannot be done: its problems, one a line, are for the person who can mend them."""

    def __init__(self, *problems: Problem | str) -> None:
        self.problems = problems
        super().__init__("\n".join(map(str, problems)))


def fault(file: Path | None, line: int | str | None, what: str, remedy: str) -> GuideError:
    """The error of a single problem: `raise fault(path, 3, "a tab", "indent with spaces")`."""
    return GuideError(Problem(file, line, what, remedy))


def shown(path: Path) -> str:
    """`path` as a message shows it: from the repository's root where it lies inside."""
    return path.relative_to(ROOT).as_posix() if path.is_relative_to(ROOT) else path.as_posix()


def did_you_mean(name: str, known: Iterable[str], otherwise: str = "") -> str:
    """The remedy for an unknown `name`: the nearest known one, or what to do `otherwise`.

    Without `otherwise`, all that are known.
    """
    names = list(known)
    near = difflib.get_close_matches(name, names, n=1)
    return f"did you mean {near[0]!r}?" if near else otherwise or f"there are: {', '.join(names)}"
