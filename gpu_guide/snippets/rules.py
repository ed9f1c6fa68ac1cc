"""Rules for a well-formed snippet: it shows something, and it is finished."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator

from gpu_guide.problems import Problem
from gpu_guide.snippets.model import Snippet
from gpu_guide.snippets.syntax import tree_of

UNFINISHED = re.compile(r"\b(?:TODO|FIXME|TBD|XXX)\b")


def check(snippet: Snippet) -> Iterator[Problem]:
    """Every broken rule, in the order of lines."""
    for number, row in enumerate(snippet.source.split("\n"), 1):
        if match := UNFINISHED.search(row):
            yield Problem(snippet.path, number, f"unfinished: {match[0]!r}", "finish it or drop it")
    if not _shows(tree_of(snippet.source)):
        remedy = "print the fact that it shows, or assert it: a run then tells whether it holds"
        last = snippet.source.rstrip("\n").count("\n") + 1
        yield Problem(snippet.path, last, "prints nothing and asserts nothing", remedy)
    elif snippet.measures and not _prints(tree_of(snippet.source)):
        last = snippet.source.rstrip("\n").count("\n") + 1
        remedy = "print what it measures: where no GPU runs it, no output would miss it"
        yield Problem(snippet.path, last, "measures, and prints nothing", remedy)


def titles(snippets: Iterable[Snippet]) -> Iterator[Problem]:
    """Titles that two files have: one was copied, and nobody finds the other by it."""
    seen: dict[str, Snippet] = {}
    for snippet in snippets:
        for text in snippet.title.values():
            first = seen.setdefault(text, snippet)
            if first is not snippet:
                what = f"the title of {first.name} again: {text!r}"
                yield Problem(snippet.path, 1, what, "say what this snippet shows")


def _prints(tree: ast.Module) -> bool:
    return any(isinstance(node, ast.Name) and node.id == "print" for node in ast.walk(tree))


def _shows(tree: ast.Module) -> bool:
    """Whether something is printed, asserted or raised, in whichever function."""
    shown = any(isinstance(node, (ast.Assert, ast.Raise)) for node in ast.walk(tree))
    return shown or _prints(tree)
