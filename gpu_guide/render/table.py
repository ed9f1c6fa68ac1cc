"""A table made of data: its parts, and the HTML of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from markupsafe import Markup

from gpu_guide.render.template import fill
from gpu_guide.render.words import Words

Sources = Sequence[tuple[str, Sequence[tuple[str, str]]]]
"""By the day on which they were read, the address and the title of each source."""


@dataclass(frozen=True)
class Cell:
    """A cell that may span several rows; then the rows below it are a cell shorter."""

    text: str
    rows: int = 1


@dataclass(frozen=True)
class Table:
    """The heads of the columns, the cells of each row, the first being its head, and sources.

    Text becomes HTML; in heads and in titles of sources, text in backquotes is code.
    """

    heads: Sequence[str]
    rows: Sequence[Sequence[str | Cell]]
    sources: Sources

    def html(self, say: Words) -> Markup:
        """The table and, below it, where its facts were read."""
        rows = [
            [cell if isinstance(cell, Cell) else Cell(cell) for cell in row] for row in self.rows
        ]
        return fill("table.html", say=say, heads=self.heads, rows=rows, sources=self.sources)
