"""A product of matrices on two GPUs: its weight split by columns or by rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from gpu_guide.pictures.canvas import EDGE, Canvas

_UNIT = 26


@dataclass(frozen=True)
class Matrix:
    """Rows and columns in units, and along which of them it is split: columns, rows or neither."""

    name: str
    rows: int
    columns: int
    split: str = ""

    def pieces(self) -> list[tuple[int, int, int, int]]:
        """(first row, first column, rows, columns) of each GPU's piece; the whole if not split."""
        if self.split == "columns":
            half = self.columns // 2
            return [(0, 0, self.rows, half), (0, half, self.rows, half)]
        if self.split == "rows":
            half = self.rows // 2
            return [(0, 0, half, self.columns), (half, 0, half, self.columns)]
        return [(0, 0, self.rows, self.columns)]


def product(weight_split: str) -> tuple[Matrix, Matrix, Matrix]:
    """Input, weight and result of a linear layer whose weight W is split, for y = x W.

    By columns each GPU has the whole input and makes its columns of the result. By rows each has
    the columns of the input that meet its rows, and a result of full size that is yet to be added.
    """
    whole = weight_split == "columns"
    x = Matrix("x", 2, 4, "" if whole else "columns")
    weight = Matrix("W", 4, 4, weight_split)
    return x, weight, Matrix("y", 2, 4, "columns" if whole else "")


def draw(splits: Sequence[str], titles: Mapping[str, str], notes: Mapping[str, str]) -> Canvas:
    """A product for each of the splits, one below the other; the pieces of a GPU share a look."""
    canvas = Canvas()
    top = 0.0
    for split in splits:
        top = canvas.lines(EDGE, top + 16, titles[split], "") + 12
        x, weight, y = product(split)
        left = EDGE
        for matrix, sign in ((x, "×"), (weight, "="), (y, "")):
            down = top + (4 - matrix.rows) * _UNIT / 2
            pieces = matrix.pieces()
            for number, (row, column, rows, columns) in enumerate(pieces):
                look = ("block", "box")[number] if len(pieces) > 1 else "segment"
                name = f"{matrix.name}{number}" if len(pieces) > 1 else matrix.name
                if split == "rows" and matrix.name == "y":
                    name = "y0 + y1"
                size = (columns * _UNIT * 0.8 - 2, rows * _UNIT - 2)
                canvas.box(left + column * _UNIT * 0.8, down + row * _UNIT, *size, name, look)
            left += matrix.columns * _UNIT * 0.8 + 8
            if sign:
                canvas.text(left, top + 2 * _UNIT + 5, sign)
                left += 20
        top += 4 * _UNIT
        top = canvas.lines(EDGE, top + 16, notes[split], "small") + 12
    return canvas
