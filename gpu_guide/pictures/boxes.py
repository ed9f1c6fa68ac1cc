"""Boxes in rows, with arrows between them: where things are, and what goes from one to another.

The look of a box says its role, which has the same colour in every picture: cpu, gpu, copy, free or
other.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from gpu_guide.pictures.canvas import EDGE, WIDTH, Canvas, room, wrapped

LOOKS = frozenset({"cpu", "gpu", "copy", "free", "other"})
_GAP, _ARROW, _INSIDE, _LINE, _TITLE = 10.0, 44.0, 8.0, 16.0, 22.0


@dataclass(frozen=True)
class Item:
    """A box: its name for arrows, its words, its role, and its share of the row's width."""

    name: str
    words: str
    look: str = "other"
    share: float = 1


@dataclass(frozen=True)
class Row:
    """Boxes next to one another, within a frame if they have a title together."""

    items: Sequence[Item]
    title: str = ""


@dataclass(frozen=True)
class Step:
    """An arrow from one box to another, in the row below or above, and what is written at it."""

    start: str
    end: str
    words: str = ""


def read(content: Mapping[str, Any], language: str) -> tuple[list[Row], list[Step]]:
    """What data/pictures.yml says, in one language. Raises ValueError for an unknown look."""

    def words(text: Any) -> str:
        return text[language] if isinstance(text, dict) else str(text)

    rows = [
        Row(
            [
                Item(
                    box["name"],
                    words(box.get("words", box["name"])),
                    box.get("look", "other"),
                    box.get("share", 1),
                )
                for box in row["boxes"]
            ],
            words(row.get("title", "")),
        )
        for row in content["rows"]
    ]
    for item in (item for row in rows for item in row.items):
        if item.look not in LOOKS:
            raise ValueError(f"look {item.look!r} is none of {', '.join(sorted(LOOKS))}")
    arrows = content.get("arrows", ())
    return rows, [Step(one["from"], one["to"], words(one.get("words", ""))) for one in arrows]


def draw(rows: Sequence[Row], steps: Sequence[Step]) -> Canvas:
    """The rows from top to bottom. Raises ValueError for words or arrows that cannot be drawn."""
    canvas = Canvas()
    places: dict[str, tuple[int, float, float, float]] = {}
    row_of = {item.name: number for number, row in enumerate(rows) for item in row.items}
    for step in steps:
        for name in (step.start, step.end):
            if name not in row_of:
                raise ValueError(f"an arrow at {name!r}, which is no box")
        if abs(row_of[step.start] - row_of[step.end]) != 1:
            raise ValueError(f"an arrow from {step.start!r} to {step.end!r}: not in the next row")
    crossed = {min(row_of[step.start], row_of[step.end]) for step in steps}
    top = 2.0
    for number, row in enumerate(rows):
        top = _row(canvas, row, number, top, places, below=number - 1 in crossed)
        top += _ARROW if number in crossed else _GAP
    drawn: dict[tuple[int, float], int] = {}
    for step in steps:
        _arrow(canvas, step, places, drawn)
    return canvas


def _row(
    canvas: Canvas,
    row: Row,
    number: int,
    top: float,
    places: dict[str, tuple[int, float, float, float]],
    below: bool,
) -> float:
    """Draw one row, note where each box is, and return the foot of it.

    Its title is above the boxes, or `below` them, where arrows come from above.
    """
    framed = bool(row.title)
    left, wide = EDGE, WIDTH - 2 * EDGE
    if framed:
        left, wide = left + _INSIDE, wide - 2 * _INSIDE
    whole = sum(item.share for item in row.items)
    free = wide - _GAP * (len(row.items) - 1)
    widths = [free * item.share / whole for item in row.items]
    texts = [
        wrapped(item.words, width - 8, "small")
        for item, width in zip(row.items, widths, strict=True)
    ]
    for item, lines, width in zip(row.items, texts, widths, strict=True):
        if any(room(line, "small") > width for line in lines):
            raise ValueError(f"{item.words!r} does not fit into a box of {width:.0f} units")
    height = _LINE * max(map(len, texts)) + 14
    begin = top
    if framed:
        begin += _INSIDE if below else _TITLE + 4
        canvas.box(EDGE, top, WIDTH - 2 * EDGE, _TITLE + 4 + height + _INSIDE, "", "box")
        foot = begin + height + 17 if below else top + 17
        canvas.text(EDGE + _INSIDE, foot, row.title, "name")
    for item, lines, width in zip(row.items, texts, widths, strict=True):
        canvas.box(left, begin, width, height, "", item.look)
        foot = begin + height / 2 - _LINE * (len(lines) - 1) / 2 + 4
        for one, line in enumerate(lines):
            canvas.text(left + width / 2, foot + _LINE * one, line, "inside", "middle")
        places[item.name] = (number, left + width / 2, begin, begin + height)
        left += width + _GAP
    return top + height + (_TITLE + 4 + _INSIDE if framed else 0)


def _arrow(
    canvas: Canvas,
    step: Step,
    places: Mapping[str, tuple[int, float, float, float]],
    drawn: dict[tuple[int, float], int],
) -> None:
    """From the edge of one box to that of another; a second one between the same boxes is drawn
    next to it."""
    row, x, start_top, start_foot = places[step.start]
    other, to_x, end_top, end_foot = places[step.end]
    y, to_y = (start_foot, end_top) if other > row else (start_top, end_foot)
    pair = (min(row, other), min(x, to_x))
    shift = 28.0 * drawn.get(pair, 0)
    drawn[pair] = drawn.get(pair, 0) + 1
    canvas.arrow(x + shift, y, to_x + shift, to_y)
    if step.words:
        middle = (y + to_y) / 2 + 4
        at = (x + to_x) / 2 + shift
        side = "end" if shift == 0 and at > WIDTH / 2 else "start"
        canvas.text(at + (8 if side == "start" else -8), middle, step.words, "small", side)
