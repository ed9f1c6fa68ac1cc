"""What one process allocated, played once more: when it was most, and what lay there then.

A ledger is what `observer/ledger.py` writes, as JSON. Sizes are in bytes; a time is the number of
a kernel, in the order in which the process began them.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

ROUNDING = 512
"""PyTorch's allocator gives multiples of this: kMinBlockSize in CUDACachingAllocator.cpp."""
KINDS = (
    "weights",
    "gradients",
    "optimizer",
    "activations",
    "backward",
    "communication",
    "optimizer_temporaries",
    "workspaces",
    "other",
)
_MARKED = KINDS[:3]
_OF_PHASE = {
    "forward": "activations",
    "backward": "backward",
    "optimizer": "optimizer_temporaries",
    "communication": "communication",
}


@dataclass(frozen=True)
class Line:
    """A line of code."""

    file: str
    number: int
    function: str
    text: str


@dataclass(frozen=True)
class Place:
    """A line of the reader's own, and the line of a package that it led to; None: there is none."""

    own: Line | None
    package: Line | None

    @classmethod
    def of(cls, pair: Sequence[Sequence[Any] | None]) -> Place:
        """The place that a ledger describes by two lists."""
        return cls(*(Line(*one) if one else None for one in pair))


@dataclass(frozen=True)
class Block:
    """Memory of one allocation that was there at the peak."""

    bytes: int
    kind: str
    """One of KINDS."""
    operator: str
    place: Place


@dataclass(frozen=True)
class Step:
    """What was most up to the end of one optimizer step, since the end of the one before."""

    allocated: int
    reserved: int


@dataclass(frozen=True)
class Device:
    """One GPU of one process."""

    rank: int
    number: int
    total: int
    allocated: int
    """The peak by PyTorch's own statistics."""
    reserved: int
    step: int
    """In which step the peak is, counted from 1; one more than there are for what follows them."""
    place: Place
    """What the process did at the peak."""
    operator: str
    blocks: tuple[Block, ...]
    steps: tuple[Step, ...]
    lost: bool
    """Whether the record is not whole, because there were too many events."""

    @property
    def kinds(self) -> dict[str, int]:
        """Bytes at the peak for each of KINDS that has any, largest first."""
        sums: Counter[str] = Counter()
        for block in self.blocks:
            sums[block.kind] += block.bytes
        if (unexplained := self.allocated - sum(sums.values())) > 0:
            sums["other"] += unexplained  # the allocator keeps small rests with their neighbours
        return dict(sums.most_common())

    def lines(self, most: int) -> list[tuple[Place, str, int, int, str]]:
        """The lines that hold most at the peak: place, kind, bytes, blocks, main operator."""
        groups: dict[tuple[Place, str], list[Block]] = defaultdict(list)
        for block in self.blocks:
            groups[block.place, block.kind].append(block)
        found = []
        for (place, kind), blocks in groups.items():
            by_operator: Counter[str] = Counter()
            for block in blocks:
                by_operator[block.operator] += block.bytes
            operator = by_operator.most_common(1)[0][0]
            found.append((place, kind, sum(block.bytes for block in blocks), len(blocks), operator))
        return sorted(found, key=lambda one: -one[2])[:most]


@dataclass
class _Live:
    bytes: int
    time: int
    in_kernel: bool


def devices(ledger: Mapping[str, Any]) -> list[Device]:
    """Every GPU that the process used."""
    return [
        _device(ledger, number)
        for number, events in enumerate(ledger["events"])
        if any(action == "alloc" for action, *_ in events)
    ]


def _device(ledger: Mapping[str, Any], number: int) -> Device:
    places = [Place.of(pair) for pair in ledger["sites"]]
    ends = [step["now"] for step in ledger["steps"]]
    live: dict[int, _Live] = {}
    every: dict[int, list[_Live]] = defaultdict(list)
    most, at_peak, peak_time = 0, [], 0
    allocated = reserved = now = 0
    steps = [[0, 0] for _ in [*ends, 0]]
    grew = False
    for action, address, size, metadata in ledger["events"][number]:
        if action == "alloc":
            time = int(metadata) if metadata else now
            now = max(now, time)
            block = _Live(_rounded(size), time, in_kernel=bool(metadata))
            live[address] = block
            every[address].append(block)
            allocated += block.bytes
            if allocated > most:
                most, peak_time, grew = allocated, now, True
            else:
                grew = False
        elif action == "free_requested":
            if grew:  # the last allocation was a peak: note what is there before it goes
                at_peak, grew = list(live.items()), False
            if (block := live.pop(address, None)) is not None:
                allocated -= block.bytes
        elif action in ("segment_alloc", "segment_map"):
            reserved += size
        elif action in ("segment_free", "segment_unmap"):
            reserved -= size
        step = steps[bisect_right(ends, now)]
        step[0], step[1] = max(step[0], allocated), max(step[1], reserved)
    if grew:
        at_peak = list(live.items())
    marks = _marks(ledger["marks"], every)
    blocks = tuple(_block(ledger, places, address, one, marks) for address, one in at_peak)
    name, line, _ = ledger["ops"][peak_time]
    return Device(
        rank=ledger["rank"],
        number=number,
        total=ledger["total"][number],
        allocated=max(ledger["peak"][number], most),
        reserved=ledger["reserved"][number],
        step=bisect_right(ends, peak_time) + 1,
        place=places[line],
        operator=ledger["names"][name],
        blocks=blocks,
        steps=tuple(Step(*step) for step in steps[: len(ends)] or steps),
        lost=ledger["lost"],
    )


def _rounded(size: int) -> int:
    return -(-max(size, 1) // ROUNDING) * ROUNDING


def _marks(
    marks: Sequence[Sequence[Any]], every: Mapping[int, list[_Live]]
) -> dict[tuple[int, int], str]:
    """The kind of each marked block, by its address and time: the first of the kinds it has."""
    kinds: dict[tuple[int, int], str] = {}
    for kind, address, seen in marks:
        times = [block.time for block in every.get(address, ())]
        place = bisect_left(times, seen)
        if not place:
            continue
        key = (address, times[place - 1])
        if key not in kinds or _MARKED.index(kind) < _MARKED.index(kinds[key]):
            kinds[key] = kind
    return kinds


def _block(
    ledger: Mapping[str, Any],
    places: Sequence[Place],
    address: int,
    one: _Live,
    marks: Mapping[tuple[int, int], str],
) -> Block:
    if not one.in_kernel:
        return Block(one.bytes, marks.get((address, one.time), "other"), "", places[0])
    name, line, phase = ledger["ops"][one.time]
    kind = marks.get((address, one.time))
    if kind is None and address not in ledger["results"][one.time]:
        kind = "workspaces"
    kind = kind or _OF_PHASE[ledger["phases"][phase]]
    return Block(one.bytes, kind, ledger["names"][name], places[line])
