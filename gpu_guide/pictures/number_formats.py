"""How the bits of a floating-point number are shared out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from gpu_guide.pictures.canvas import EDGE, WIDTH, Canvas

_ROW, _BAR, _NAME = 44, 20, 92


@dataclass(frozen=True)
class Format:
    """A number format: bits for the sign, which is one, for the exponent and for the fraction."""

    name: str
    exponent: int
    fraction: int
    largest: str

    @property
    def bits(self) -> int:
        """All bits that carry information."""
        return 1 + self.exponent + self.fraction

    @property
    def top(self) -> float:
        """The largest finite number where, as in IEEE 754, the largest exponent means infinity."""
        bias = 2 ** (self.exponent - 1) - 1
        return (2 - 2.0**-self.fraction) * 2.0**bias


def draw(formats: Sequence[Format], names: Mapping[str, str]) -> Canvas:
    """A row of bits for each format. `names` holds exponent, fraction and largest."""
    canvas = Canvas()
    left = EDGE + _NAME
    unit = (WIDTH - EDGE - left) / max(one.bits for one in formats)
    canvas.box(EDGE, 2, 12, 12, "", "box")
    canvas.text(EDGE + 16, 13, names["exponent"], "small")
    second = EDGE + WIDTH / 2
    canvas.box(second, 2, 12, 12, "", "block")
    canvas.text(second + 16, 13, names["fraction"], "small")
    for number, one in enumerate(formats):
        y = 26 + number * _ROW
        canvas.text(EDGE, y + _BAR - 5, one.name, "code")
        canvas.box(left, y, unit - 1, _BAR, "", "other")
        x = left + unit
        canvas.box(x, y, one.exponent * unit - 1, _BAR, str(one.exponent), "box")
        x += one.exponent * unit
        canvas.box(x, y, one.fraction * unit - 1, _BAR, str(one.fraction), "block")
        canvas.text(left, y + _BAR + 14, names["largest"].format(one.largest), "small")
    return canvas
