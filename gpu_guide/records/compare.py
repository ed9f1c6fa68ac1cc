"""Compare what a snippet printed with what its file or a record says."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Sequence

from gpu_guide.problems import shown
from gpu_guide.snippets.model import Printed, Snippet, with_outputs


def rewritten(snippet: Snippet, printed: Iterable[Printed]) -> str:
    """The file's text with its `#>` lines as `printed` has them."""
    return with_outputs(snippet.source, snippet.prints, printed)


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
