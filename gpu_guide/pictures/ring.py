"""All-reduce around a ring: each rank sends one part at a time to its neighbour."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from gpu_guide.pictures.canvas import EDGE, WIDTH, Canvas

_ROW, _HEAD = 22, 20

Parts = tuple[tuple[frozenset[int], ...], ...]
"""Of each rank and each part of the tensor: whose numbers are summed in it."""


@dataclass(frozen=True)
class Step:
    """What every rank holds after a step, and which (rank, part) has just arrived."""

    phase: str
    held: Parts
    arrived: frozenset[tuple[int, int]]


def all_reduce(ranks: int) -> list[Step]:
    """The steps of a ring all-reduce over a tensor in as many parts as there are ranks.

    The first `ranks - 1` steps add what arrives (reduce-scatter), the next `ranks - 1` replace by
    what arrives (all-gather), as NCCL's ring does.
    """
    held = [[frozenset([rank]) for _ in range(ranks)] for rank in range(ranks)]
    steps = [Step("start", _frozen(held), frozenset())]
    for phase, offset in (("reduce", 0), ("gather", 1)):
        for number in range(ranks - 1):
            moving = [(rank, (rank + offset - number) % ranks) for rank in range(ranks)]
            sent = [held[rank][part] for rank, part in moving]
            for (rank, part), content in zip(moving, sent, strict=True):
                to = (rank + 1) % ranks
                held[to][part] = held[to][part] | content if phase == "reduce" else content
            arrived = frozenset(((rank + 1) % ranks, part) for rank, part in moving)
            steps.append(Step(phase, _frozen(held), arrived))
    return steps


def _frozen(held: list[list[frozenset[int]]]) -> Parts:
    return tuple(tuple(parts) for parts in held)


def draw(ranks: int, names: Mapping[str, str]) -> Canvas:
    """A column for each rank, a row for each part, one table for each step.

    `names` holds start, reduce and gather; a step's number is put in for {}.
    """
    canvas = Canvas()
    gap = 12
    width = (WIDTH - 2 * EDGE - gap * (ranks - 1)) / ranks
    top = 0.0
    for number, step in enumerate(all_reduce(ranks)):
        top = canvas.lines(EDGE, top + 16, names[step.phase].format(number), "small") + 8
        for rank, parts in enumerate(step.held):
            x = EDGE + rank * (width + gap)
            for part, who in enumerate(parts):
                whole = len(who) == ranks
                look = "block" if whole else "pinned" if (rank, part) in step.arrived else "box"
                text = "+".join(f"{'abc'[part]}{one}" for one in sorted(who))
                canvas.box(x, top + part * _ROW, width, _ROW - 2, text, look)
        top += ranks * _ROW + 6
    return canvas
