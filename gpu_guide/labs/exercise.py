"""Exercises in labs: in a cell, the reader writes the lines between nbgrader's two marks.

    def share(rank, world_size):
        ### BEGIN SOLUTION
        return range(rank, 64, world_size)
        ### END SOLUTION

    assert list(share(0, 2))[:2] == [0, 2], "rank 0 takes every second sample"

What runs is the cell with these lines, what the reader gets is the cell without them. Behind them
the cell asserts, with a message, so that the reader learns what is wrong. Whoever writes nothing
runs the next cell: no cell uses what another one leaves to the reader.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from symtable import symtable

from gpu_guide.problems import fault

Say = Callable[[str], str]
"""The words of a language by their key: gpu_guide/render/words.py has them."""

MARK = re.compile(r"\s*### (?P<end>BEGIN|END) SOLUTION$")
_REMEDY = "write '### BEGIN SOLUTION' and '### END SOLUTION' once each, around some lines"


@dataclass(frozen=True)
class Exercise:
    """Which rows of a cell's code are the solution, which the reader is to write."""

    start: int
    stop: int

    def solution(self, code: str) -> str:
        """The rows of the solution, indented as in the cell, so that they can be pasted there."""
        return "\n".join(code.split("\n")[self.start : self.stop])

    def written(self, code: str, attempt: str) -> str:
        """The cell with an attempt in the solution's place; its rows are indented like that."""
        rows = code.split("\n")
        indent = re.match(r"\s*", rows[self.start])[0]
        lines = [indent + row if row else row for row in attempt.split("\n")]
        return "\n".join([*rows[: self.start], *lines, *rows[self.stop :]])

    def stub(self, code: str, say: Say) -> str:
        """The cell as the reader finds it."""
        return self.written(code, f"# {say('your_code')}\nraise NotImplementedError")


def unmarked(path: Path, line: int, code: str) -> tuple[str, Exercise | None]:
    """The code of the cell on `line` without marks, and the lines between them.

    Raises GuideError for marks that are no pair, and where no assertion follows them.
    """
    rows = code.split("\n")
    found = [
        (number, match["end"]) for number, row in enumerate(rows) if (match := MARK.match(row))
    ]
    if not found:
        return code, None
    if [end for _, end in found] != ["BEGIN", "END"]:
        ends = ", ".join(end for _, end in found)
        raise fault(path, line + found[0][0] + 1, f"the marks of a solution: {ends}", _REMEDY)
    (begin, _), (end, _) = found
    inside = rows[begin + 1 : end]
    if not inside or not inside[0].strip():
        raise fault(path, line + begin + 1, "no solution right after its mark", _REMEDY)
    bare = "\n".join([*rows[:begin], *inside, *rows[end + 1 :]])
    exercise = Exercise(begin, end - 1)
    tells = any(
        isinstance(node, ast.Assert) and node.msg is not None and node.lineno > exercise.stop
        for node in ast.walk(ast.parse(bare))
    )
    if not tells:
        remedy = "write `assert …, message` behind it: what is wrong where it fails"
        raise fault(path, line + end + 1, "a solution that nothing asserts", remedy)
    return bare, exercise


def leaning(cells: Mapping[str, tuple[str, bool]]) -> Iterator[tuple[str, str, str]]:
    """Where a cell uses a name that another one leaves to the reader: both cells, and the name.

    `cells` are code by id, and whether the reader writes some of it.
    """
    readers: dict[str, str] = {}
    for identity, (code, is_exercise) in cells.items():
        if code.startswith("%%"):
            continue  # a file of its own
        bound, used = _names(code)
        yield from (
            (identity, readers[name], name)
            for name in sorted(used - bound)
            if readers.get(name, identity) != identity
        )
        for name in bound:
            readers.pop(name, None)
            if is_exercise:
                readers[name] = identity


def _names(code: str) -> tuple[set[str], set[str]]:
    """What the code binds outside of functions, and which of such names it uses, everywhere."""
    bound, used = set(), set()
    module = symtable(code, "cell", "exec")
    scopes = [module]
    for scope in scopes:  # which grows meanwhile
        scopes += scope.get_children()
        for symbol in scope.get_symbols():
            if scope is module and (symbol.is_assigned() or symbol.is_imported()):
                bound.add(symbol.get_name())
            if symbol.is_referenced() and (scope is module or symbol.is_global()):
                used.add(symbol.get_name())
    return bound, used
