"""What a picture consists of: boxes, words and arrows, as wide as a phone shows it whole.

Colours and letters come from theme/assets/drawn.css and follow the page.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

WIDTH = 340
"""Units of the picture, which are about pixels on a phone."""
EDGE = 8
LETTERS = {"": 13, "small": 12, "inside": 12, "code": 12}
"""The size of letters by the look of a text."""
_LATIN = {"code": 0.61, "block-name": 0.62, "name": 0.62}
"""How wide a Latin letter is for its size; bold ones and those of code are wider."""


@dataclass(frozen=True)
class Box:
    """A rectangle; its look is a class of the style sheet."""

    x: float
    y: float
    width: float
    height: float
    look: str = "block"
    kind: str = field(default="box", init=False)


@dataclass(frozen=True)
class Text:
    """One line of words whose foot is at `y`; `anchor` is start, middle or end."""

    x: float
    y: float
    text: str
    look: str = ""
    anchor: str = "start"
    kind: str = field(default="text", init=False)


@dataclass(frozen=True)
class Arrow:
    """A straight line, with a head at its end."""

    x: float
    y: float
    to_x: float
    to_y: float
    kind: str = field(default="arrow", init=False)


Mark = Box | Text | Arrow


@dataclass
class Canvas:
    """The marks of a picture, from behind to the front, and how far down they reach."""

    marks: list[Mark] = field(default_factory=list)
    height: float = 0

    def box(
        self, x: float, y: float, width: float, height: float, text: str, look: str = "block"
    ) -> None:
        """A box with one line of words in its middle. Raises ValueError if they do not fit."""
        self._add(Box(x, y, width, height, look), y + height)
        if text:
            inside = "block-name" if look == "block" else ""
            if room(text, inside) > width:
                raise ValueError(f"{text!r} does not fit into a box of {width:.0f} units")
            self.text(x + width / 2, y + height / 2 + 5, text, inside, "middle")

    def text(self, x: float, y: float, text: str, look: str = "", anchor: str = "start") -> None:
        """One line of words. Raises ValueError if it leaves the picture."""
        wide = room(text, look)
        left = {"start": x, "middle": x - wide / 2, "end": x - wide}[anchor]
        if left < 0 or left + wide > WIDTH:
            raise ValueError(f"{text!r} reaches from {left:.0f} to {left + wide:.0f} of {WIDTH}")
        self._add(Text(x, y, text, look, anchor), y + 4)

    def lines(self, x: float, y: float, text: str, look: str = "small") -> float:
        """Words from `x` to the right edge, on as many lines as they need: the foot of the last.

        Raises ValueError where a single word is too wide.
        """
        for line in wrapped(text, WIDTH - EDGE - x, look):
            self.text(x, y, line, look)
            y += 16
        return y - 16

    def arrow(self, x: float, y: float, to_x: float, to_y: float) -> None:
        """An arrow from the first point to the second."""
        self._add(Arrow(x, y, to_x, to_y), max(y, to_y))

    def _add(self, mark: Mark, bottom: float) -> None:
        self.marks.append(mark)
        self.height = max(self.height, bottom)


def room(text: str, look: str = "") -> float:
    """About how many units wide the words are: a Chinese character is as wide as it is high."""
    size = LETTERS.get(look, LETTERS[""])
    latin = _LATIN.get(look, 0.56)
    return sum(size if ord(letter) >= 0x2E80 else size * latin for letter in text)


def wrapped(text: str, width: float, look: str = "") -> list[str]:
    """The text in lines of at most `width` units, broken at blanks and beside Chinese letters."""
    lines, line = [], ""
    for piece in _pieces(text):
        if line and room((line + piece).rstrip(), look) > width:
            lines.append(line.rstrip())
            line = ""
        line += piece.lstrip() if not line else piece
    return [*lines, line.rstrip()] if line.strip() else lines


def _pieces(text: str) -> Sequence[str]:
    """Pieces that may be on separate lines; no line begins with a mark such as a comma."""
    pieces: list[str] = []
    for letter in text:
        wide = ord(letter) >= 0x2E80
        closing = letter in "，。：；、）”？！"
        after_wide = bool(pieces) and ord(pieces[-1][-1]) >= 0x2E80
        after_blank = bool(pieces) and pieces[-1].endswith(" ")
        if not pieces or after_blank or (not closing and (wide or after_wide) and letter != " "):
            pieces.append(letter)
        else:
            pieces[-1] += letter
    return pieces
