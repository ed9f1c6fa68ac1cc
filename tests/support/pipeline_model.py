"""Pipeline schedules: what each rank does in which order, when, and how much it keeps meanwhile.

`theme/assets/schedules.js` has the same orders and plans them by the same rules. The orders are
those of the tables that PyTorch builds, and gpu_guide/pictures/timeline.py plans the times.

A forward takes one unit of time, and so does each half of a backward: the gradient of the input (I)
and that of the weights (W). A whole backward (B) takes both, and hands on its gradient at the end.
A forward and a backward at once take as long as both, because nothing but computing takes time.
"""

from __future__ import annotations

from collections import Counter, deque
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


class Pair(NamedTuple):
    """A forward and a backward that a rank runs at once, PyTorch's OVERLAP_F_B.

    It begins when both can begin, and hands on both results at its end.
    """

    forward: Action
    backward: Action


Step = Action | Pair


def parts(step: Step) -> tuple[Action, ...]:
    """The actions that a rank does at once: one, or the two of a pair."""
    return tuple(step) if isinstance(step, Pair) else (step,)


def name(step: Step) -> str:
    """`0F3`, or `0F3+7B1` of a pair."""
    return "+".join(f"{one.stage}{one.do}{one.microbatch}" for one in parts(step))


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


def order(kind: str, pipe: Pipeline) -> dict[int, list[Step]] | None:
    """What each rank does, one after the other; None where PyTorch raises an error instead."""
    if kind == "1F1B" and pipe.microbatches < pipe.ranks:
        return None
    if kind.startswith("Interleaved") and pipe.microbatches % pipe.rounds:
        return None
    if kind == "DualPipeV" and pipe.microbatches < pipe.stages:
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


def _looped(pipe: Pipeline, rank: int) -> Iterator[Action]:
    """All microbatches through one stage of the rank, then all through its next, and back."""
    stages = range(rank, pipe.stages, pipe.ranks)
    there = [Action(stage, "F", one) for stage in stages for one in range(pipe.microbatches)]
    yield from there
    yield from (one._replace(do="B") for one in reversed(there))


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


def _dual_v(pipe: Pipeline, rank: int) -> Iterator[Step]:
    """The stages lie as in `_v`; where it can, a rank runs a forward and a backward at once."""
    later = pipe.ranks - 1 - rank
    stages = (rank, pipe.stages - 1 - rank)
    done: Counter[str] = Counter()
    halves: deque[Action] = deque()

    def act(step: str) -> Action:
        """`F0`, `B1`, `I1`, or `W`: the weights of the backward that has been half for longest."""
        if step == "W":
            return halves.popleft()._replace(do="W")
        counted = step.replace("I", "B")
        action = Action(stages[int(step[1])], step[0], done[counted])
        done[counted] += 1
        if action.do == "I":
            halves.append(action)
        return action

    def take(steps: str) -> Iterator[Step]:
        """`F0 B1`: one after the other. `F0+B1`: at once."""
        for step in steps.split():
            first, *second = (act(one) for one in step.split("+"))
            yield Pair(first, *second) if second else first

    yield from take("F0 " * (2 * later) + "F0 F1 " * (rank + 1) + "I1 W F1 " * later)
    for turn in range(pipe.microbatches - 2 * pipe.ranks + rank + 1):
        # PyTorch keeps the first two of the last rank apart to wait less.
        yield from take("F0+B1" if turn or later else "F0 B1")
        yield from take("F1+B0")
    yield from take("B1 F1+B0 " * later)
    for turn in range(2 * (rank + 1)):
        yield from take(f"{'B' if turn <= rank else 'I'}{1 - turn % 2}")
    yield from take("W I0 " * later + "W " * (rank + 1))


_ORDERS: dict[str, Callable[[Pipeline, int], Iterator[Step]]] = {
    "GPipe": _gpipe,
    "1F1B": _one_forward_one_backward,
    "LoopedBFS": _looped,
    "Interleaved1F1B": _interleaved,
    "InterleavedZeroBubble": _interleaved_zero_bubble,
    "ZBVZeroBubble": _v,
    "DualPipeV": _dual_v,
}
KINDS = tuple(_ORDERS)


def local_stages(kind: str, asked: int) -> int:
    """How many stages a rank has in a schedule, where the reader has asked for so many."""
    return {"GPipe": 1, "1F1B": 1, "ZBVZeroBubble": 2, "DualPipeV": 2}.get(kind, asked)


def planned(orders: dict[int, list[Step]], stages: int) -> list[Span]:
    """When each step begins and ends; those of a rank follow one another."""
    task_of = {
        one: f"{rank} {name(step)}"
        for rank, steps in orders.items()
        for step in steps
        for one in parts(step)
    }

    def needs(one: Action) -> Action | None:
        if one.do == "W":
            return one._replace(do="I")
        if one.do == "F":
            return one._replace(stage=one.stage - 1) if one.stage else None
        if one.stage == stages - 1:
            return one._replace(do="F")
        half = Action(one.stage + 1, "I", one.microbatch)
        return half if half in task_of else half._replace(do="B")

    return schedule(
        [
            Task(
                str(rank),
                name(step),
                sum(TAKES[one.do] for one in parts(step)),
                tuple(task_of[needed] for one in parts(step) if (needed := needs(one))),
            )
            for rank, steps in orders.items()
            for step in steps
        ]
    )


def kept(orders: dict[int, list[Step]], local: int) -> list[float]:
    """Of how many microbatches each rank keeps the activations at most.

    One is what all stages of the rank keep for a microbatch. It is let go when the backward ends,
    or its second half. While a forward and a backward run at once, both are kept.
    """
    most = []
    for steps in orders.values():
        now = peak = 0
        for one in (one for step in steps for one in parts(step)):
            now += {"F": 1, "B": -1, "W": -1}.get(one.do, 0)
            peak = max(peak, now)
        most.append(peak / local)
    return most


def idle(spans: list[Span], ranks: int) -> tuple[float, float]:
    """How long all of it takes, and which share of the ranks' time nothing is done."""
    end = max(span.end for span in spans)
    busy = sum(span.end - span.start for span in spans)
    return end, 1 - busy / (end * ranks)
