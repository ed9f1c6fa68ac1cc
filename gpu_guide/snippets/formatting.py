"""Formatting of a snippet's code by black and ruff, through pytest-examples.

Neither gets to see the title, the data lines and the outputs, so they stay as they are. What black
has found right is remembered by content: it takes fifteen milliseconds a snippet.
"""

from __future__ import annotations

import contextlib
import hashlib
from collections.abc import Iterable, Iterator
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING

from gpu_guide.problems import Problem
from gpu_guide.project import Project
from gpu_guide.snippets.format import MAX_COLUMNS
from gpu_guide.snippets.model import Snippet, parse
from gpu_guide.snippets.outputs import print_statements, with_outputs

if TYPE_CHECKING:
    from pytest_examples.config import ExamplesConfig

_TITLE = '"""A title, behind which black leaves as many lines as behind the snippet\'s own."""'
_MOST = 20_000
"""How many texts are remembered before it starts over: fifty versions of each snippet."""


def check(snippets: Iterable[Snippet], cache: Path) -> Iterator[Problem]:
    """The snippets that black would lay out otherwise, each with the first line that differs.

    `cache` is the file that holds what was right before.
    """
    right = set(cache.read_text(encoding="ascii").split()) if cache.is_file() else set()
    known = len(right)
    tools = f"black {version('black')}, pytest-examples {version('pytest-examples')}, {MAX_COLUMNS}"
    for snippet in snippets:
        key = hashlib.sha256(f"{tools}\n{snippet.source}".encode()).hexdigest()[:32]
        if key in right:
            continue
        try:
            new = laid_out(snippet)
        except ValueError as error:
            remedy = "write it as Python 3.11 reads it"
            yield Problem(snippet.path, None, f"black cannot read it: {error}", remedy)
            continue
        if new == snippet.source:
            right.add(key)
            continue
        line, row = _first_difference(snippet.source, new)
        what = f"black writes {repr(row) if row.strip() else 'an empty line'} here"
        remedy = f"`pytest snippets/{snippet.name}.py --update-examples` lays it out"
        yield Problem(snippet.path, line, what, remedy)
    if len(right) > known:
        _remember(right if len(right) <= _MOST else set(), cache)


def laid_out(snippet: Snippet, *, ruff: bool = False) -> str:
    """The file's text as black lays it out; with `ruff`, also with what ruff mends by itself.

    Raises ValueError for code that black cannot read.
    """
    from pytest_examples import CodeExample
    from pytest_examples.lint import black_format, ruff_format

    rows = snippet.without_outputs().split("\n")
    head, code = rows[: snippet.head], "\n".join(rows[snippet.head :])
    if ruff:
        example = CodeExample.create(code, path=snippet.path, start_line=snippet.head)
        code = ruff_format(example, _config(), ignore_errors=True)
    _, _, code = black_format(f"{_TITLE}\n{code}", _config()).partition("\n")
    text = "\n".join([*head, code])
    return with_outputs(text, print_statements(text), snippet.outputs)


def mend(path: Path, project: Project) -> Snippet:
    """The project's snippet in `path`, once its file is laid out by ruff and black.

    Raises GuideError where it breaks the format, and changes nothing then.
    """
    snippet = parse(path, project)
    new = laid_out(snippet, ruff=True)
    if new == snippet.source:
        return snippet
    path.write_text(new, encoding="utf-8", newline="\n")
    return parse(path, project)


def _config() -> ExamplesConfig:
    from pytest_examples.config import ExamplesConfig

    return ExamplesConfig(MAX_COLUMNS, quotes="double", target_version="py311", isort=True)


def _first_difference(old: str, new: str) -> tuple[int, str]:
    """The first line of `old` that is another in `new`, and what it is there."""
    rows, others = (text.split("\n") for text in (old, new))
    same = next(
        (n for n, (one, other) in enumerate(zip(rows, others, strict=False)) if one != other),
        min(len(rows), len(others)) - 1,
    )
    return same + 1, others[same]


def _remember(right: set[str], cache: Path) -> None:
    """Write the texts that are right, whole or not at all: others may check at the same time."""
    with contextlib.suppress(OSError):  # a folder that nobody may write in: it takes longer
        cache.parent.mkdir(exist_ok=True)
        draft = cache.with_suffix(f".{hashlib.sha256(''.join(right).encode()).hexdigest()[:8]}")
        draft.write_text("\n".join(sorted(right)), encoding="ascii")
        draft.replace(cache)
