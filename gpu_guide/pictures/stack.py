"""Layers on top of one another, such as a program, a library, a driver and a GPU."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from gpu_guide.pictures.canvas import EDGE, WIDTH, Canvas, wrapped

_GAP = 8


@dataclass(frozen=True)
class Layer:
    """A box: what it is called, what it holds, and the command that shows its version."""

    name: str
    holds: str
    asked: str = ""
    needed: bool = True


def draw(layers: Sequence[Layer]) -> Canvas:
    """The layers, the first on top; one that is not needed has a dashed border."""
    canvas = Canvas()
    top = 2.0
    for layer in layers:
        lines = wrapped(layer.holds, WIDTH - 2 * EDGE - 20, "small")
        height = 28 + 16 * len(lines) + (18 if layer.asked else 0)
        look = "box" if layer.needed else "segment"
        canvas.box(EDGE, top, WIDTH - 2 * EDGE, height, "", look)
        canvas.text(EDGE + 10, top + 19, layer.name, "name")
        for number, line in enumerate(lines):
            canvas.text(EDGE + 10, top + 36 + 16 * number, line, "small")
        if layer.asked:
            canvas.text(EDGE + 10, top + height - 8, layer.asked, "code")
        top += height + _GAP
    return canvas
