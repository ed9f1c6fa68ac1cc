"""Compare what a snippet printed with what its file or a record says, by pytest-examples' rules."""

from __future__ import annotations

import ast
import difflib
from collections.abc import Iterable, Sequence
from operator import itemgetter
from unittest import mock

from pytest_examples import CodeExample
from pytest_examples.config import ExamplesConfig
from pytest_examples.run_code import Arg, InsertPrintStatements, PrintStatement

from gpu_guide.snippets import Printed, Snippet, print_statements, shown

_ONE_LINE = 10_000
"""A print always stands behind one "#>": how wide it may be is the snippet format's own rule."""


def rewritten(snippet: Snippet, printed: Sequence[Printed]) -> str:
    """The file's text with its `#>` lines as `printed` has them.

    pytest-examples inserts the lines; a `#>` whose print never ran, which it leaves standing, goes.
    """
    ran = {p.statement for p in printed}
    orphans = [p for p in snippet.outputs if p.statement not in ran]
    source = snippet.source if not orphans else snippet.without_outputs()
    statements = print_statements(ast.parse(source))
    calls = [(statements[p.statement].first, p.text) for p in printed]
    return _with_outputs(CodeExample.create(source, path=snippet.path), calls)


def compare_example(example: CodeExample, calls: Iterable[tuple[int, str]]) -> str:
    """What differs between an example's own `#>` lines and what was printed; "" where nothing."""
    new = _with_outputs(example, calls)
    if new == example.source:
        return ""
    rows = difflib.unified_diff(
        example.source.splitlines(), new.splitlines(), str(example), "printed now", lineterm=""
    )
    return "\n".join(rows)


def _with_outputs(example: CodeExample, calls: Iterable[tuple[int, str]]) -> str:
    """The example's text with the lines that pytest-examples inserts for (line, text) of prints."""
    config = ExamplesConfig(line_length=_ONE_LINE)
    inserter = InsertPrintStatements(example.path, config, True, None, None)
    # In the order of the lines: pytest-examples loses count where two prints take turns in a loop.
    inserter.print_func.statements = [
        PrintStatement(line, " ", [Arg(text)]) for line, text in sorted(calls, key=itemgetter(0))
    ]
    # Its own search overlooks prints in `else` and `finally`, and miscounts calls inside calls.
    with mock.patch("pytest_examples.run_code.find_print_location", _end_of_print):
        return inserter.updated_print_statements(example) or example.source


def _end_of_print(example: CodeExample, line: int) -> tuple[int, int]:
    """The last line and the column of the print statement on `line`."""
    for statement in print_statements(ast.parse(example.source)):
        if statement.first <= line <= statement.last:
            return statement.last, statement.indent
    return line, 0


def compare_with_file(snippet: Snippet, printed: Sequence[Printed]) -> str:
    """What differs between `printed` and the file's `#>` lines, as a message; "" where nothing."""
    return compare(
        snippet,
        snippet.source.splitlines(),
        rewritten(snippet, printed).splitlines(),
        "the file",
        "if the code is right, `pytest --update-examples` writes the lines",
    )


def compare_with_record(
    snippet: Snippet, printed: Sequence[Printed], recorded: Sequence[Printed], name: str
) -> str:
    """What differs between `printed` and what record `name` holds; "" where nothing."""
    return compare(
        snippet,
        [f"print {p.statement + 1}: {p.text}" for p in recorded],
        [f"print {p.statement + 1}: {p.text}" for p in printed],
        f"records/{name}.json",
        "if the code is right, `make record` writes the record anew",
    )


def compare(
    snippet: Snippet, old: Sequence[str], new: Sequence[str], where: str, remedy: str
) -> str:
    """How the lines `new` differ from `old`, which stand in `where`; "" where they do not.

    The message names the snippet and the remedy.
    """
    if list(old) == list(new):
        return ""
    rows = difflib.unified_diff(old, new, where, "printed now", lineterm="", n=1)
    return f"{shown(snippet.path)}: printed something else — {remedy}\n" + "\n".join(rows)
