"""Pipeline schedules: what each rank does in which order, when, and how much it keeps meanwhile.

`theme/assets/schedules.js` has the same orders and plans them by the same rules. The orders are
those of the tables that PyTorch builds, and gpu_guide/pictures/timeline.py plans the times.

A forward takes one unit of time, and so does each half of a backward: the gradient of the input (I)
and that of the weights (W). A whole backward (B) takes both, and hands on its gradient at the end.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

from gpu_guide.pictures.timeline import Span, Task, schedule

TAKES = {"F": 1, "B": 2, "I": 1, "W": 1}


class Action(NamedTuple):
    """What a rank does with a microbatch: F, B, I or W of one of its stages."""

    stage: int
    do: str
    microbatch: int


@dataclass(frozen=True)
class Pipeline:
    """`ranks` with `local` stages each, through which so many microbatches go."""

    ranks: int
    local: int
    microbatches: int

    @property
    def stages(self) -> int:
        """All stages."""
        return self.ranks * self.local

    @property
    def rounds(self) -> int:
        """Into how many rounds the interleaved schedules divide the microbatches."""
        return max(1, self.microbatches // self.ranks)


def order(kind: str, pipe: Pipeline) -> dict[int, list[Action]] | None:
    """What each rank does, one after the other; None where PyTorch raises an error instead."""
    if kind == "1F1B" and pipe.microbatches < pipe.ranks:
        return None
    if kind.startswith("Interleaved") and pipe.microbatches % pipe.rounds:
        return None
    return {rank: list(_ORDERS[kind](pipe, rank)) for rank in range(pipe.ranks)}


def _gpipe(pipe: Pipeline, rank: int) -> Iterator[Action]:
    for do in "FB":
        yield from (Action(rank, do, number) for number in range(pipe.microbatches))


def _one_forward_one_backward(pipe: Pipeline, rank: int) -> Iterator[Action]:
    ahead = pipe.ranks - 1 - rank
    for number in range(pipe.microbatches + ahead):
        if number < pipe.microbatches:
            yield Action(rank, "F", number)
        if number >= ahead:
            yield Action(rank, "B", number - ahead)


def _stages_in_turn(pipe: Pipeline, rank: int, backwards: bool) -> list[tuple[int, int]]:
    """Stage and microbatch, as an interleaved schedule takes them: a round of microbatches through
    one stage of the rank, then the same round through its next."""
    size = pipe.microbatches // pipe.rounds
    places = range(pipe.local)
    return [
        (place * pipe.ranks + rank, turn * size + number)
        for turn in range(pipe.rounds)
        for place in (reversed(places) if backwards else places)
        for number in range(size)
    ]


def _interleaved(pipe: Pipeline, rank: int) -> Iterator[Action]:
    forwards, backwards = (_stages_in_turn(pipe, rank, way) for way in (False, True))
    ahead = (pipe.local - 1) * (pipe.microbatches // pipe.rounds) + 2 * (pipe.ranks - 1 - rank)
    ahead = min(ahead, len(forwards))
    for place in range(len(forwards) + ahead):
        if place < len(forwards):
            yield _action(forwards[place], "F")
        if place >= ahead:
            yield _action(backwards[place - ahead], "B")


def _interleaved_zero_bubble(pipe: Pipeline, rank: int) -> Iterator[Action]:
    forwards, backwards = (_stages_in_turn(pipe, rank, way) for way in (False, True))
    ahead = (pipe.local - 1) * (pipe.microbatches // pipe.rounds) + pipe.ranks - 1 - rank
    ahead = min(ahead, len(forwards))
    for place in range(len(forwards) + ahead):
        if place < len(forwards):
            yield _action(forwards[place], "F")
        if place >= ahead:
            yield _action(backwards[place - ahead], "I")
            if place - ahead >= rank:
                yield _action(backwards[place - ahead - rank], "W")
    yield from (_action(one, "W") for one in backwards[max(0, len(backwards) - rank) :])


def _action(one: tuple[int, int], do: str) -> Action:
    return Action(one[0], do, one[1])


def _v(pipe: Pipeline, rank: int) -> Iterator[Action]:
    """Zero bubble with two stages on each rank, one on the way there and one on the way back."""
    enough = max(2 * pipe.ranks - 1, pipe.microbatches)
    stages = (rank, pipe.stages - 1 - rank)
    done: Counter[str] = Counter()

    def take(steps: str) -> Iterator[Action]:
        """`F0 I1`: a forward of the first stage, then half a backward of the second one."""
        for step in steps.split():
            action = Action(stages[int(step[1])], step[0], done[step])
            done[step] += 1
            if action.microbatch < pipe.microbatches:
                yield action

    yield from take("F0 " * (2 * (pipe.ranks - rank) - 1))
    yield from take("F1 F0 " * rank)
    yield from take("F1 I1 W1 " * (pipe.ranks - rank))
    while done["F1"] < done["F0"] or done["F0"] < enough:
        if done["F0"] < enough:
            yield from take("F0")
        yield from take("I0 W0 F1 I1 W1")
    yield from take("I0 I1 " * rank)
    yield from take("I0 W0 " * (pipe.ranks - rank))
    yield from take("W1 " * (done["I1"] - done["W1"]))
    yield from take("W0 " * (done["I0"] - done["W0"]))


_ORDERS: dict[str, Callable[[Pipeline, int], Iterator[Action]]] = {
    "GPipe": _gpipe,
    "1F1B": _one_forward_one_backward,
    "Interleaved1F1B": _interleaved,
    "InterleavedZeroBubble": _interleaved_zero_bubble,
    "ZBVZeroBubble": _v,
}
KINDS = tuple(_ORDERS)


def local_stages(kind: str, asked: int) -> int:
    """How many stages a rank has in a schedule, where the reader has asked for so many."""
    return {"GPipe": 1, "1F1B": 1, "ZBVZeroBubble": 2}.get(kind, asked)


def planned(orders: dict[int, list[Action]], stages: int) -> list[Span]:
    """When each action begins and ends; actions of a rank follow one another."""
    rank_of = {one.stage: rank for rank, actions in orders.items() for one in actions}
    split = any(one.do == "I" for actions in orders.values() for one in actions)

    def name(stage: int, do: str, microbatch: int) -> str:
        return f"{rank_of[stage]} {stage}{do}{microbatch}"

    def needs(one: Action) -> str | None:
        if one.do == "W":
            return name(one.stage, "I", one.microbatch)
        if one.do == "F":
            return name(one.stage - 1, "F", one.microbatch) if one.stage else None
        if one.stage == stages - 1:
            return name(one.stage, "F", one.microbatch)
        return name(one.stage + 1, "I" if split else "B", one.microbatch)

    return schedule(
        [
            Task(
                str(rank),
                f"{one.stage}{one.do}{one.microbatch}",
                TAKES[one.do],
                tuple(filter(None, [needs(one)])),
            )
            for rank, actions in orders.items()
            for one in actions
        ]
    )


def kept(orders: dict[int, list[Action]], local: int) -> list[float]:
    """Of how many microbatches each rank keeps the activations at most.

    One is what all stages of the rank keep for a microbatch. It is let go when the backward ends,
    or its second half.
    """
    most = []
    for actions in orders.values():
        now = peak = 0
        for one in actions:
            now += {"F": 1, "B": -1, "W": -1}.get(one.do, 0)
            peak = max(peak, now)
        most.append(peak / local)
    return most


def idle(spans: list[Span], ranks: int) -> tuple[float, float]:
    """How long all of it takes, and which share of the ranks' time nothing is done."""
    end = max(span.end for span in spans)
    busy = sum(span.end - span.start for span in spans)
    return end, 1 - busy / (end * ranks)
