"""What snippets that run on any machine print on one simulated GPU.

Their `#>` lines are the CPU's, so this is kept beside the tests: without it a tensor that ends up
on the wrong device would only be noticed on a real GPU. Written by `--update-examples`.
"""

from __future__ import annotations

import json
from collections.abc import Container, Iterable, Sequence
from pathlib import Path

from gpu_guide.records.compare import compare
from gpu_guide.snippets.model import Printed, Snippet

FILE = Path(__file__).with_suffix(".json")


def read() -> dict[str, list[str]]:
    """The printed lines by snippet."""
    return json.loads(FILE.read_text(encoding="utf-8")) if FILE.exists() else {}


def problem_with(snippet: Snippet, printed: Iterable[Printed]) -> str:
    """What differs from the file, as a message; "" where nothing."""
    lines = _lines(printed)
    remedy = "if the placement is right, `pytest --update-examples` writes the file"
    return compare(snippet, read().get(snippet.name, []), lines, FILE.name, remedy)


def update(snippet: Snippet, printed: Sequence[Printed]) -> None:
    """Write what was printed. A snippet that printed nothing has no entry."""
    lines = {snippet.name: _lines(printed)} if printed else {}
    _write({name: kept for name, kept in read().items() if name != snippet.name} | lines)


def _lines(printed: Iterable[Printed]) -> list[str]:
    return [line for p in printed for line in p.text.split("\n")]


def keep(names: Container[str]) -> None:
    """Drop what is of none of `names`: snippets that are gone."""
    _write({name: lines for name, lines in read().items() if name in names})


def _write(lines: dict[str, list[str]]) -> None:
    text = json.dumps(dict(sorted(lines.items())), ensure_ascii=False, indent=1)
    FILE.write_text(text + "\n", encoding="utf-8", newline="\n")
