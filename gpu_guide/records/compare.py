"""Compare what a snippet printed with what its file or a record says."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Sequence
from pathlib import Path

from gpu_guide.problems import shown
from gpu_guide.snippets.model import Printed, Snippet, by_statement, print_statements, with_outputs


def rewritten(snippet: Snippet, printed: Iterable[Printed]) -> str:
    """The file's text with its `#>` lines as `printed` has them."""
    return with_outputs(snippet.source, snippet.prints, printed)


def compare_source(source: str, path: Path, calls: Iterable[tuple[int, str]]) -> str:
    """What differs between the `#>` lines of `source`, from `path`, and what it printed.

    "" where nothing does. `calls` are (line, text) of what was printed.
    """
    prints = print_statements(source)
    new = with_outputs(source, prints, by_statement(calls, prints))
    rows = difflib.unified_diff(
        source.splitlines(), new.splitlines(), shown(path), "printed now", lineterm=""
    )
    return "\n".join(rows)


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
        numbered(recorded),
        numbered(printed),
        f"records/{name}.json",
        "if the code is right, `make record` writes the record anew",
    )


def numbered(prints: Iterable[Printed]) -> list[str]:
    """The lines that were printed, each behind the number of its print statement."""
    return [f"print {p.statement + 1}: {line}" for p in prints for line in p.text.split("\n")]


def compare(
    snippet: Snippet, old: Sequence[str], new: Sequence[str], where: str, remedy: str
) -> str:
    """How the lines `new` differ from `old`, which are in `where`; "" where they do not.

    The message names the snippet and the remedy.
    """
    if list(old) == list(new):
        return ""
    rows = difflib.unified_diff(old, new, where, "printed now", lineterm="", n=1)
    return f"{shown(snippet.path)}: printed something else — {remedy}\n" + "\n".join(rows)
