"""A GPU from outside in: the bus, its memory, its cache, its SMs, and one SM enlarged."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from gpu_guide.pictures.canvas import EDGE, WIDTH, Canvas

_PER_ROW = 18
_INSIDE = 10


@dataclass(frozen=True)
class Parts:
    """What the picture shows of a GPU, in the units of its words: GB, GB/s, MiB, KiB."""

    name: str
    sms: int
    partitions: int
    memory: int
    bandwidth: int
    l2: int
    shared: int
    registers: int
    bus: int


def draw(parts: Parts, names: Mapping[str, str]) -> Canvas:
    """The picture; `names` are templates that may hold the fields of `Parts`."""
    say = {key: text.format(**vars(parts)) for key, text in names.items()}
    canvas = Canvas()
    left, wide = EDGE, WIDTH - 2 * EDGE
    middle = WIDTH / 2
    canvas.box(left, 2, wide, 30, say["host"], "cpu")
    canvas.arrow(middle, 34, middle, 62)
    canvas.text(middle + 10, 53, say["bus"], "small")

    inside, inner = left + _INSIDE, wide - 2 * _INSIDE
    rows = -(-parts.sms // _PER_ROW)
    side = inner / _PER_ROW
    bottom = 66 + 30 + 42 + 42 + 24 + rows * side + 12
    canvas.box(left, 66, wide, bottom - 66, "", "box")
    canvas.text(inside, 86, say["gpu"], "name")
    canvas.box(inside, 96, inner, 30, say["memory"], "other")
    canvas.box(inside, 138, inner, 30, say["l2"], "other")
    canvas.text(inside, 190, say["sms"], "small")
    top = 200.0
    for sm in range(parts.sms):
        row, column = divmod(sm, _PER_ROW)
        look = "block" if sm == parts.sms - 1 else "segment"
        canvas.box(inside + column * side + 1, top + row * side, side - 2, side - 2, "", look)
    last = (parts.sms - 1) % _PER_ROW
    foot = top + rows * side - 1
    y = bottom + 26
    canvas.arrow(inside + (last + 0.5) * side, foot, inside + (last + 0.5) * side, y - 2)

    canvas.box(left, y, wide, 158, "", "box")
    canvas.text(inside, y + 20, say["sm"], "name")
    each = inner / parts.partitions
    for part in range(parts.partitions):
        x = inside + part * each
        canvas.box(x + 1, y + 32, each - 2, 24, say["warp"], "segment")
        canvas.box(x + 1, y + 60, each - 2, 24, say["tensor"], "block")
    canvas.box(inside, y + 90, inner, 26, say["registers"], "other")
    canvas.box(inside, y + 122, inner, 26, say["shared"], "other")
    return canvas
