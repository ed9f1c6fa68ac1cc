"""What comes back from a call of `.to()`: the same object, or a new one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from gpu_guide.pictures.canvas import EDGE, WIDTH, Canvas

_ROW, _BOX, _WIDE = 34, 24, 132


@dataclass(frozen=True)
class Call:
    """A call on `x`, a float32 tensor on the CPU, and whether it returns `x` itself."""

    code: str
    same: bool
    where: str


def draw(calls: Sequence[Call], names: Mapping[str, str]) -> Canvas:
    """A row for each call. `names` holds `same` and what is said of a new one, by `where`."""
    canvas = Canvas()
    left = WIDTH - EDGE - _WIDE
    for number, call in enumerate(calls):
        y = 4 + number * _ROW
        canvas.text(EDGE, y + _BOX / 2 + 5, call.code, "code")
        text = names["same"] if call.same else names[call.where]
        canvas.arrow(left - 26, y + _BOX / 2, left - 4, y + _BOX / 2)
        canvas.box(left, y, _WIDE, _BOX, text, "box" if call.same else "copy")
    return canvas
