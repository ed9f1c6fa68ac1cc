"""The outputs of a snippet: its print statements, and the `#>` lines behind them."""

from __future__ import annotations

import ast
import re
from collections.abc import Container, Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from gpu_guide.problems import fault
from gpu_guide.snippets.comments import all_comments
from gpu_guide.snippets.syntax import nodes_of

_OUTPUT = re.compile(r"#>( |$)")


@dataclass(frozen=True)
class Printed:
    """All that one print statement printed, line by line and without the last line's end.

    `statement` counts the file's prints from 0, top down. A statement that never ran has none.
    """

    statement: int
    text: str


@dataclass(frozen=True)
class PrintStatement:
    """The place of a `print(...)` statement: lines are counted from 1, `indent` in columns."""

    first: int
    last: int
    indent: int


def print_statements(source: str) -> tuple[PrintStatement, ...]:
    """Every statement `print(...)` of the code, top down. Raises SyntaxError."""
    found = [
        PrintStatement(node.lineno, node.end_lineno or node.lineno, node.col_offset)
        for node in nodes_of(source)
        if isinstance(node, ast.Expr)
        and isinstance(node.value, ast.Call)
        and isinstance(node.value.func, ast.Name)
        and node.value.func.id == "print"
    ]
    return tuple(sorted(found, key=lambda statement: statement.first))


def by_statement(
    calls: Iterable[tuple[int, str]], prints: Sequence[PrintStatement]
) -> tuple[Printed, ...]:
    """What each print statement printed, from (line, text) of its calls in their order.

    Raises ValueError, with the line, where something printed that is no statement `print(...)`.
    """
    texts: dict[int, list[str]] = {}
    for line, text in calls:
        statement = next((n for n, p in enumerate(prints) if p.first <= line <= p.last), None)
        if statement is None:
            raise ValueError(
                f"{line}: print is not a statement here — write print(...) on a line of its own"
            )
        texts.setdefault(statement, []).append(text)
    return tuple(Printed(number, "\n".join(texts[number])) for number in sorted(texts))


@lru_cache(maxsize=2048)
def output_lines(source: str) -> frozenset[int]:
    """The lines that hold nothing but a `#>` comment: not those of a string that looks like one."""
    return frozenset(
        token.start[0]
        for token in all_comments(source)
        if _OUTPUT.match(token.string) and not token.line[: token.start[1]].strip()
    )


def output_rows(
    prints: Sequence[PrintStatement], outputs: Iterable[Printed]
) -> dict[int, list[str]]:
    """The `#>` lines of `outputs`, by the line of the file that they follow."""
    return {
        prints[printed.statement].last: [
            " " * prints[printed.statement].indent + f"#> {line}".rstrip()
            for line in printed.text.split("\n")
        ]
        for printed in outputs
    }


def with_outputs(source: str, prints: Sequence[PrintStatement], outputs: Iterable[Printed]) -> str:
    """The file's text with `outputs` in the place of its `#>` lines."""
    old, new = output_lines(source), output_rows(prints, outputs)
    rows: list[str] = []
    for number, line in enumerate(source.split("\n"), 1):
        rows += [line] if number not in old else []
        rows += new.get(number, [])
    return "\n".join(rows)


def read_outputs(
    path: Path, source: str, prints: tuple[PrintStatement, ...], lines: Container[int]
) -> tuple[Printed, ...]:
    """What the file says that each print printed; its outputs are on `lines`."""
    by_last_line = {statement.last: statement for statement in prints}
    found: list[tuple[int, str]] = []
    owner: PrintStatement | None = None
    for number, line in enumerate(source.split("\n"), 1):
        if number not in lines:
            owner = by_last_line.get(number)
            continue
        text = line.lstrip(" ")
        if owner is None:
            raise fault(
                path,
                number,
                "an output where nothing prints",
                "outputs are written by `pytest --update-examples`, never by hand: delete it",
            )
        if len(line) - len(text) != owner.indent:
            raise fault(
                path, number, "an output not in line with its print", "indent it like the print"
            )
        found.append((owner.last, text[3:]))
    return by_statement(found, prints)
