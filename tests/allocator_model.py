"""The rules of PyTorch's caching allocator in Python; theme/assets/allocator.js has them, too.

It is the default allocator with default settings, one GPU and one stream; ExpandableAllocator is
the same with expandable_segments:True, which the page in the browser does not have. The constants
are those of c10/core/AllocatorConfig.h in torch 2.13.0 and 2.15.0, the steps those of `malloc`,
`free_block` and `release_cached_blocks` in c10/cuda/CUDACachingAllocator.cpp. A segment that is
asked for later has a higher address: CUDA does not promise that, so no trace should depend on which
of two free blocks of equal size is taken.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from fractions import Fraction

KIB, MIB, GIB = 2**10, 2**20, 2**30
MIN_BLOCK_SIZE = 512  # kMinBlockSize: sizes are rounded up to a multiple of it
SMALL_SIZE = MIB  # kSmallSize: the largest request of the small pool
SMALL_BUFFER = 2 * MIB  # kSmallBuffer: a segment of the small pool
MIN_LARGE_ALLOC = 10 * MIB  # kMinLargeAlloc: from here on a request has a segment of its own
ROUND_LARGE = 2 * MIB  # kRoundLarge: whose size is rounded up to a multiple of it
LARGE_SEGMENT_SIZE = 20 * MIB  # large_segment_size_: the segment of what lies between

UNITS = {"B": 1, "KiB": KIB, "MiB": MIB, "GiB": GIB}
_STATEMENT = re.compile(
    r"(?P<name>[A-Za-z_]\w*) *= *(?P<count>\d+(?:\.\d+)?) *(?P<unit>B|KiB|MiB|GiB)"
    r"|del +(?P<deleted>[A-Za-z_]\w*)|(?P<empty>empty_cache\(\))",
    re.ASCII,
)


class ProgramError(ValueError):
    """A statement that is none, or that cannot be carried out."""


@dataclass(eq=False)
class Block:
    """A piece of a segment; `owner` is the tensor that lives there, or None."""

    size: int
    owner: str | None = None
    requested: int = 0


@dataclass(eq=False)
class Segment:
    """What the driver gave in one piece: its blocks, in the order of addresses."""

    small: bool
    blocks: list[Block]

    @property
    def size(self) -> int:
        """Its bytes, which never change."""
        return sum(block.size for block in self.blocks)


@dataclass(frozen=True)
class State:
    """What is seen after a statement."""

    statement: str
    events: tuple[str, ...]
    """What happened, in order: see the methods of Allocator."""
    allocated: int
    reserved: int
    requested: int
    segments: tuple[tuple[tuple[str | None, int], ...], ...]
    """Per segment its blocks: owner and size."""


@dataclass
class Allocator:
    """One GPU's allocator. `limit` is what it may reserve, as
    torch.cuda.set_per_process_memory_fraction sets it."""

    limit: int | None = None
    segments: list[Segment] = field(default_factory=list)

    @property
    def allocated(self) -> int:
        """torch.cuda.memory_allocated()"""
        return sum(block.size for block in self._blocks() if block.owner is not None)

    @property
    def requested(self) -> int:
        """torch.cuda.memory_stats()["requested_bytes.all.current"]"""
        return sum(block.requested for block in self._blocks())

    @property
    def reserved(self) -> int:
        """torch.cuda.memory_reserved()"""
        return sum(segment.size for segment in self.segments)

    def allocate(self, owner: str, requested: int) -> tuple[str, ...]:
        """Find a block: "reused", or "segment" from the driver; "split" if a rest was cut off.

        "retried": the driver had too little, so unused segments were returned first. "failed": out
        of memory all the same.
        """
        if requested < 1:
            raise ProgramError(f"{requested} bytes")
        size = -(-requested // MIN_BLOCK_SIZE) * MIN_BLOCK_SIZE
        small = size <= SMALL_SIZE
        events = ["reused"]
        found = self._best_fit(size, small)
        if found is None:
            events = ["segment"]
            asked = self._to_ask_for(size, small)
            if not self._fits(asked):
                events.insert(0, "retried")
                self.empty_cache()
                if not self._fits(asked):
                    return "retried", "failed"
            found = self._add(asked, small)
        segment, index = found
        block = segment.blocks[index]
        rest = block.size - size
        if self._is_split_off(rest, small):
            events.append("split")
            block.size = size
            segment.blocks.insert(index + 1, Block(rest))
        block.owner, block.requested = owner, requested
        return tuple(events)

    def free(self, owner: str) -> tuple[str, ...]:
        """Give a block back to the cache: "cached", and "merged" with each free neighbour."""
        for segment in self.segments:
            for index, block in enumerate(segment.blocks):
                if block.owner == owner:
                    block.owner, block.requested = None, 0
                    return "cached", *self._merge(segment, index)
        raise ProgramError(f"there is no {owner}")

    def empty_cache(self) -> tuple[str, ...]:
        """Return the segments that are one free block: "returned", once for each."""
        unused = [s for s in self.segments if len(s.blocks) == 1 and s.blocks[0].owner is None]
        self.segments = [segment for segment in self.segments if segment not in unused]
        return ("returned",) * len(unused)

    def _to_ask_for(self, size: int, small: bool) -> int:
        """What a rounded request that no free block can hold asks the driver for."""
        return segment_size(size)

    def _add(self, size: int, small: bool) -> tuple[Segment, int]:
        """Memory from the driver: its segment, and its place there."""
        self.segments.append(Segment(small, [Block(size)]))
        return self.segments[-1], 0

    def _is_split_off(self, rest: int, small: bool) -> bool:
        return rest >= MIN_BLOCK_SIZE if small else rest > SMALL_SIZE

    def _blocks(self) -> list[Block]:
        return [block for segment in self.segments for block in segment.blocks]

    def _fits(self, size: int) -> bool:
        return self.limit is None or self.reserved + size <= self.limit

    def _best_fit(self, size: int, small: bool) -> tuple[Segment, int] | None:
        """The smallest free block of the pool that is large enough, at the lowest address."""
        candidates = [
            (block.size, number, index)
            for number, segment in enumerate(self.segments)
            for index, block in enumerate(segment.blocks)
            if segment.small == small and block.owner is None and block.size >= size
        ]
        if not candidates:
            return None
        _, number, index = min(candidates)
        return self.segments[number], index

    def _merge(self, segment: Segment, index: int) -> tuple[str, ...]:
        blocks = segment.blocks
        merged = 0
        for first in (index, index - 1):
            if 0 <= first < len(blocks) - 1:
                left, right = blocks[first : first + 2]
                if left.owner is None and right.owner is None:
                    left.size += right.size
                    del blocks[first + 1]
                    merged += 1
        return ("merged",) * merged


class ExpandableAllocator(Allocator):
    """With expandable_segments:True, each pool has one segment, which grows by whole pages.

    The steps are those of `get_free_block`, `find_expandable_block`,
    `try_allocate_expandable_block` and `should_split`. What goes back to the driver is left out.
    """

    def empty_cache(self) -> tuple[str, ...]:
        raise NotImplementedError("pages of an expandable segment are returned one by one")

    def _to_ask_for(self, size: int, small: bool) -> int:
        page = SMALL_BUFFER if small else LARGE_SEGMENT_SIZE
        segment = self._segment(small)
        last = segment.blocks[-1] if segment else None
        at_the_end = last.size if last and last.owner is None else 0
        return -(-(size - at_the_end) // page) * page

    def _add(self, size: int, small: bool) -> tuple[Segment, int]:
        segment = self._segment(small)
        if segment is None:
            return super()._add(size, small)
        segment.blocks.append(Block(size))
        self._merge(segment, len(segment.blocks) - 1)
        return segment, len(segment.blocks) - 1

    def _is_split_off(self, rest: int, small: bool) -> bool:
        return rest >= MIN_BLOCK_SIZE

    def _best_fit(self, size: int, small: bool) -> tuple[Segment, int] | None:
        """A free block at the end comes last: the segment could still grow there."""
        segment = self._segment(small)
        candidates = [
            (index == len(segment.blocks) - 1, block.size, index)
            for index, block in enumerate(segment.blocks if segment else [])
            if block.owner is None and block.size >= size
        ]
        return (segment, min(candidates)[2]) if segment and candidates else None

    def _segment(self, small: bool) -> Segment | None:
        return next((segment for segment in self.segments if segment.small == small), None)


def segment_size(size: int) -> int:
    """What a rounded request that no free block can hold asks the driver for."""
    if size <= SMALL_SIZE:
        return SMALL_BUFFER
    if size < MIN_LARGE_ALLOC:
        return LARGE_SEGMENT_SIZE
    return -(-size // ROUND_LARGE) * ROUND_LARGE


def play(program: str) -> list[State]:
    """Carry out a program, one statement per line, and tell what is seen after each.

    `a = 3 MiB` makes a tensor of 3 MiB, `del a` deletes it, `empty_cache()` is what it says, and
    `limit = 40 MiB` limits what may be reserved. As in Python, assigning to a name that is taken
    makes the new tensor before it frees the old one. Raises ProgramError.
    """
    allocator = Allocator()
    names: dict[str, str] = {}
    states = []
    for number, line in enumerate(program.strip().splitlines()):
        statement = line.strip()
        events = _execute(allocator, statement, names, number)
        owners = {owner: name for name, owner in names.items()}
        states.append(
            State(
                statement,
                events,
                allocator.allocated,
                allocator.reserved,
                allocator.requested,
                tuple(
                    tuple((owners.get(block.owner or ""), block.size) for block in segment.blocks)
                    for segment in allocator.segments
                ),
            )
        )
    return states


def _execute(
    allocator: Allocator, statement: str, names: dict[str, str], number: int
) -> tuple[str, ...]:
    match = _STATEMENT.fullmatch(statement)
    if match is None:
        raise ProgramError(f"not understood: {statement!r}")
    if match["empty"]:
        return allocator.empty_cache()
    if match["deleted"]:
        if match["deleted"] not in names:
            raise ProgramError(f"there is no {match['deleted']}")
        return allocator.free(names.pop(match["deleted"]))
    size = to_bytes(match["count"], match["unit"])
    if match["name"] == "limit":
        allocator.limit = size
        return ()
    owner = f"{match['name']} of line {number}"
    events = allocator.allocate(owner, size)
    if "failed" not in events:
        old = names.get(match["name"])
        names[match["name"]] = owner
        events += allocator.free(old) if old else ()
    return events


def to_bytes(count: str, unit: str) -> int:
    """`1.5`, `KiB` -> 1536. Raises ProgramError where that is no whole number of bytes."""
    size = Fraction(count) * UNITS[unit]
    if size.denominator != 1 or size < 1:
        raise ProgramError(f"{count} {unit}")
    return int(size)
