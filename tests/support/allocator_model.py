"""The rules of PyTorch's caching allocator in Python; theme/assets/allocator.js has them, too.

It is the default allocator of one GPU with its streams, with default settings or with
expandable_segments:True. The constants are those of c10/core/AllocatorConfig.h in torch 2.13.0 and
2.15.0, the steps those of c10/cuda/CUDACachingAllocator.cpp, whose functions the docstrings name.
tests/stand_in/test_allocator_model.py compares it with that code.

Of free blocks of one size, PyTorch takes the one in the segment that was asked for first, and in a
segment the one with the lowest address (github.com/pytorch/pytorch/pull/183591, which 2.13.0 has).
So it doesn't matter where the driver places a segment: here, each has a higher address than the one
before, unless somebody who knows better sets `Segment.address`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from fractions import Fraction

KIB, MIB, GIB = 2**10, 2**20, 2**30
MIN_BLOCK_SIZE = 512  # kMinBlockSize: sizes are rounded up to a multiple of it
SMALL_SIZE = MIB  # kSmallSize: the largest request of the small pool
SMALL_BUFFER = 2 * MIB  # kSmallBuffer: a segment of the small pool, or a page of an expandable one
MIN_LARGE_ALLOC = 10 * MIB  # kMinLargeAlloc: from here on a request has a segment of its own
ROUND_LARGE = 2 * MIB  # kRoundLarge: whose size is rounded up to a multiple of it
LARGE_SEGMENT_SIZE = 20 * MIB  # large_segment_size_: the segment of what lies between, or a page

UNITS = {"B": 1, "KiB": KIB, "MiB": MIB, "GiB": GIB}
EXPANDABLE = "expandable_segments:True"
STATEMENT = re.compile(
    r"(?P<name>[A-Za-z_]\w*) *= *(?P<count>\d+(?:\.\d+)?) *(?P<unit>B|KiB|MiB|GiB)"
    r"(?: +on +stream +(?P<stream>\d+))?"
    r"|del +(?P<deleted>[A-Za-z_]\w*)|(?P<empty>empty_cache\(\))|(?P<expandable>" + EXPANDABLE + ")"
    r"|(?P<used>[A-Za-z_]\w*)\.record_stream\((?P<by>\d+)\)",
    re.ASCII,
)
_ENDLESS = 2**42
"""Bytes of a GPU whose memory never runs out."""
_APART = 2**44
"""Bytes between the addresses of two segments, which is more than any segment has."""


class ProgramError(ValueError):
    """A statement that is none, or that cannot be carried out."""


@dataclass(eq=False)
class Block:
    """A piece of a segment; `owner` is the tensor that lives there, or None."""

    size: int
    owner: str | None = None
    requested: int = 0
    used_by: set[int] = field(default_factory=set)
    """The other streams that use it, by record_stream."""
    waiting: bool = False
    """Whether it was freed and waits for these."""
    mapped: bool = True
    """Whether there is memory behind its addresses; only an expandable segment has others."""

    @property
    def free(self) -> bool:
        """Whether it can become, or merge into, what somebody asks for."""
        return self.owner is None and not self.waiting


@dataclass(eq=False)
class Segment:
    """What the driver gave in one piece: its blocks, in the order of addresses."""

    small: bool
    blocks: list[Block]
    stream: int = 0
    number: int = 0
    """How many were asked for before it, and it: registration_counter."""
    address: int = 0

    @property
    def size(self) -> int:
        """Its bytes of memory, which change only where it is expandable."""
        return sum(block.size for block in self.blocks if block.mapped)

    def address_of(self, index: int) -> int:
        """Where the block of this place begins."""
        return self.address + sum(block.size for block in self.blocks[:index])

    def addresses(self) -> range:
        """All that are its, with memory or without."""
        return range(self.address, self.address_of(len(self.blocks)))

    def split(self, index: int, size: int) -> None:
        """Cut the block of this place in two, the first of `size` bytes."""
        block = self.blocks[index]
        self.blocks.insert(index + 1, Block(block.size - size, mapped=block.mapped))
        block.size = size

    def merge(self, index: int) -> int:
        """try_merge_blocks with both neighbours of a free block; how many were swallowed."""
        merged = 0
        for first in (index, index - 1):
            if 0 <= first < len(self.blocks) - 1:
                left, right = self.blocks[first : first + 2]
                if left.free and right.free and left.mapped == right.mapped:
                    left.size += right.size
                    del self.blocks[first + 1]
                    merged += 1
        return merged

    def pieces(self) -> Iterator[tuple[Block, ...]]:
        """Its blocks by pieces that have memory without a gap, as a snapshot lists them."""
        piece: list[Block] = []
        for block in (*self.blocks, Block(0, mapped=False)):
            if block.mapped:
                piece.append(block)
            elif piece:
                yield tuple(piece)
                piece = []


Place = tuple[Segment, int]
"""A segment, and the number of a block in it."""


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
    torch.cuda.set_per_process_memory_fraction sets it; `memory` is what the driver has to give, and
    `total` the whole of the GPU's memory."""

    limit: int | None = None
    memory: int | None = None
    total: int | None = None
    segments: list[Segment] = field(default_factory=list)
    tied: tuple[int, ...] = ()
    """The addresses of the free blocks that the latest request could as well have got, by order."""
    by_address: bool = False
    """Whether of free blocks of one size that with the lowest address is taken, whatever its
    segment, as before 2.13.0."""
    _asked: int = 0

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

    def allocate(self, owner: str, requested: int, stream: int = 0) -> tuple[str, ...]:
        """Find a block: "reused", or "segment" from the driver; "split" if a rest was cut off.

        "retried": the driver had too little, so unused memory was returned first. "failed": out of
        memory all the same. (`malloc`)
        """
        if requested < 1:
            raise ProgramError(f"{requested} bytes")
        self._end_waiting()
        size = round_up(requested, MIN_BLOCK_SIZE)
        small = size <= SMALL_SIZE
        events = ["reused"]
        found = self._best_fit(size, small, stream)
        if found is None:
            events = ["segment"]
            found = self._grow(size, small, stream)
        if found is None:
            events.insert(0, "retried")
            self.empty_cache()
            found = self._grow(size, small, stream)
        if found is None:
            return "retried", "failed"
        segment, index = found
        if self._is_split_off(segment.blocks[index].size - size, small):
            events.append("split")
            segment.split(index, size)
        segment.blocks[index].owner, segment.blocks[index].requested = owner, requested
        return tuple(events)

    def record_stream(self, owner: str, stream: int) -> tuple[str, ...]:
        """Another stream uses the tensor, too. (`recordStream`)"""
        segment, index = self._place(owner)
        if stream != segment.stream:
            segment.blocks[index].used_by.add(stream)
        return ()

    def free(self, owner: str) -> tuple[str, ...]:
        """Give a block back to the cache: "cached", and "merged" with each free neighbour.

        "waiting": another stream uses it, so that it comes back when somebody asks for memory, or
        for the cache to be emptied. By then nothing runs on that stream here. (`free`)
        """
        segment, index = self._place(owner)
        block = segment.blocks[index]
        block.owner = None
        if block.used_by:
            block.waiting = True
            return ("waiting",)
        return self._cache(segment, block)

    def empty_cache(self) -> tuple[str, ...]:
        """Return what is unused: "returned", once for each piece. (`release_cached_blocks`)"""
        self._end_waiting()
        unused = [s for s in self.segments if len(s.blocks) == 1 and s.blocks[0].free]
        self.segments = [segment for segment in self.segments if segment not in unused]
        return ("returned",) * len(unused)

    def _cache(self, segment: Segment, block: Block) -> tuple[str, ...]:
        """free_block"""
        block.requested, block.waiting = 0, False
        block.used_by.clear()
        return "cached", *("merged",) * segment.merge(segment.blocks.index(block))

    def _end_waiting(self) -> None:
        """process_events, where the other streams have done all they had to do."""
        for segment in self.segments:
            for block in [one for one in segment.blocks if one.waiting]:
                self._cache(segment, block)

    def _grow(self, size: int, small: bool, stream: int) -> Place | None:
        """A block with new memory of the driver's, or None if that lacks it. (`alloc_block`)"""
        asked = segment_size(size)
        if not self._is_allowed(asked) or not self._driver_has(asked):
            return None
        return self._add(Segment(small, [Block(asked)], stream)), 0

    def _add(self, segment: Segment) -> Segment:
        self._asked += 1
        segment.address, segment.number = self._asked * _APART, self._asked
        self.segments.append(segment)
        return segment

    def _is_split_off(self, rest: int, small: bool) -> bool:
        """should_split"""
        return rest >= MIN_BLOCK_SIZE if small else rest > SMALL_SIZE

    def _blocks(self) -> list[Block]:
        return [block for segment in self.segments for block in segment.blocks]

    def _place(self, owner: str) -> Place:
        for segment in self.segments:
            for index, block in enumerate(segment.blocks):
                if block.owner == owner:
                    return segment, index
        raise ProgramError(f"there is no {owner}")

    def _is_allowed(self, size: int) -> bool:
        return self.limit is None or self.reserved + size <= self.limit

    def _driver_has(self, size: int) -> bool:
        return self.memory is None or self.reserved + size <= self.memory

    def _free_blocks(self, size: int, small: bool, stream: int) -> list[Place]:
        """Free blocks of a pool that are large enough, by size, segment and address."""
        places = [
            (block.size, 0 if self.by_address else segment.number, segment.address, index, segment)
            for segment in self.segments
            for index, block in enumerate(segment.blocks)
            if (segment.small, segment.stream) == (small, stream)
            and block.free
            and block.mapped
            and block.size >= size
        ]
        return [(segment, index) for *_, index, segment in sorted(places, key=lambda p: p[:4])]

    def _best_fit(self, size: int, small: bool, stream: int) -> Place | None:
        """The smallest free block that is large enough. (`get_free_block`)"""
        places = self._free_blocks(size, small, stream)
        self.tied = ()
        if not places:
            return None
        return self._first(places, 0)

    def _first(self, places: list[Place], chosen: int) -> Place:
        """The chosen one, having noted those of its size."""
        sizes = [segment.blocks[index].size for segment, index in places]
        same = [place for place, size in zip(places, sizes, strict=True) if size == sizes[chosen]]
        self.tied = tuple(segment.address_of(index) for segment, index in same)
        return places[chosen]


class ExpandableAllocator(Allocator):
    """With expandable_segments:True: a pool has one segment, to which memory is mapped by pages.

    The segment's range of addresses is an eighth larger than the GPU's memory. Where it has no room
    in one piece any more, the pool gets another segment.
    """

    def empty_cache(self) -> tuple[str, ...]:
        """Return each page that is all free. (`release_blocks`, `unmap_block`)"""
        self._end_waiting()
        returned = 0
        for segment in self.segments:
            for block in [one for one in segment.blocks if one.free and one.mapped]:
                returned += self._unmap(segment, block)
        self.segments = [segment for segment in self.segments if segment.size]
        return ("returned",) * returned

    def _unmap(self, segment: Segment, block: Block) -> bool:
        """Return the whole pages of a free block; whether there were any."""
        index = segment.blocks.index(block)
        offset = segment.address_of(index) - segment.address
        page = page_size(segment.small)
        begin = round_up(offset, page)
        end = (offset + block.size) // page * page
        if begin >= end:
            return False
        if begin > offset:
            segment.split(index, begin - offset)
            index += 1
        if segment.blocks[index].size > end - begin:
            segment.split(index, end - begin)
        segment.blocks[index].mapped = False
        segment.merge(index)
        return True

    def _grow(self, size: int, small: bool, stream: int) -> Place | None:
        """Map as many pages as a free range of addresses lacks, at the lowest address there is.

        (`try_allocate_expandable_block`) The limit is held against what a segment of its own would
        take, as `alloc_block` does.
        """
        if not self._is_allowed(segment_size(size)):
            return None
        segment, index = self._find_range(size, small, stream)
        if not segment.blocks[index].mapped:
            index = self._map(segment, index, size)
        while index is not None and segment.blocks[index].size < size:
            index = self._map(segment, index + 1, size - segment.blocks[index].size)
        self.segments = [one for one in self.segments if one.size]
        return None if index is None else (segment, index)

    def _find_range(self, size: int, small: bool, stream: int) -> Place:
        """Where the lowest free range begins that has room, with memory or without.

        (`find_expandable_block`)
        """
        for segment in self.segments:
            if (segment.small, segment.stream) != (small, stream):
                continue
            for index, block in enumerate(segment.blocks):
                if block.mapped:
                    continue
                first = index - 1 if index and segment.blocks[index - 1].free else index
                room = 0
                for one in segment.blocks[first:]:
                    if not one.free:
                        break
                    room += one.size
                if room >= size:
                    return segment, first
        total = self.total or _ENDLESS
        addresses = round_up(total + total // 8, page_size(small))
        return self._add(Segment(small, [Block(addresses, mapped=False)], stream)), 0

    def _map(self, segment: Segment, index: int, size: int) -> int | None:
        """Map pages for `size` bytes, at most the whole block; where it then lies. (`map_block`)"""
        asked = round_up(min(size, segment.blocks[index].size), page_size(segment.small))
        if not self._driver_has(asked):
            return None
        if segment.blocks[index].size > asked:
            segment.split(index, asked)
        block = segment.blocks[index]
        block.mapped = True
        before = segment.blocks[index - 1] if index else None
        segment.merge(index)
        return segment.blocks.index(block if block in segment.blocks else before)

    def _is_split_off(self, rest: int, small: bool) -> bool:
        return rest >= MIN_BLOCK_SIZE

    def _best_fit(self, size: int, small: bool, stream: int) -> Place | None:
        """As by default, but a block counts with the unmapped addresses behind it, so that one at
        the end comes last: the segment could still grow there."""
        places = self._free_blocks(size, small, stream)
        self.tied = ()
        if not places:
            return None
        chosen = 0
        while chosen + 1 < len(places) and reach(places[chosen + 1]) < reach(places[chosen]):
            chosen += 1
        return self._first(places, chosen)


def reach(place: Place) -> int:
    """The bytes that a block has, or can have without moving."""
    segment, index = place
    after = segment.blocks[index + 1] if index + 1 < len(segment.blocks) else None
    return segment.blocks[index].size + (after.size if after and not after.mapped else 0)


def round_up(size: int, step: int) -> int:
    """The next multiple of `step`."""
    return -(-size // step) * step


def page_size(small: bool) -> int:
    """What an expandable segment of a pool grows by."""
    return SMALL_BUFFER if small else LARGE_SEGMENT_SIZE


def segment_size(size: int) -> int:
    """What a rounded request that no free block can hold asks the driver for."""
    if size <= SMALL_SIZE:
        return SMALL_BUFFER
    if size < MIN_LARGE_ALLOC:
        return LARGE_SEGMENT_SIZE
    return round_up(size, ROUND_LARGE)


@dataclass
class Player:
    """Carries out a program, one statement after the other.

    `a = 3 MiB` makes a tensor of 3 MiB, `a = 3 MiB on stream 1` on another stream than 0,
    `a.record_stream(2)` says that a stream uses it, `del a` deletes it, `empty_cache()` is what it
    says, and `limit = 40 MiB` limits what may be reserved. `expandable_segments:True` may stand at
    the beginning. As in Python, assigning to a name that is taken makes the new tensor before it
    frees the old one.
    """

    allocator: Allocator = field(default_factory=Allocator)
    names: dict[str, str] = field(default_factory=dict)
    """By name the owner of the tensor's block."""
    _number: int = 0

    def step(self, statement: str) -> tuple[str, ...]:
        """Carry out one statement, and tell its events. Raises ProgramError."""
        self._number += 1
        match = STATEMENT.fullmatch(statement)
        if match is None:
            raise ProgramError(f"not understood: {statement!r}")
        if match["expandable"]:
            if self._number > 1:
                raise ProgramError(f"{EXPANDABLE} is not the first line")
            old = self.allocator
            self.allocator = ExpandableAllocator(memory=old.memory, total=old.total)
            return ()
        if match["empty"]:
            return self.allocator.empty_cache()
        if match["deleted"]:
            owner = self._owner(match["deleted"])
            del self.names[match["deleted"]]
            return self.allocator.free(owner)
        if match["used"]:
            return self.allocator.record_stream(self._owner(match["used"]), int(match["by"]))
        size = to_bytes(match["count"], match["unit"])
        if match["name"] == "limit":
            self.allocator.limit = size
            return ()
        owner = f"{match['name']} of line {self._number}"
        events = self.allocator.allocate(owner, size, int(match["stream"] or 0))
        if "failed" not in events:
            old = self.names.get(match["name"])
            self.names[match["name"]] = owner
            events += self.allocator.free(old) if old else ()
        return events

    def _owner(self, name: str) -> str:
        if name not in self.names:
            raise ProgramError(f"there is no {name}")
        return self.names[name]


def play(program: str) -> list[State]:
    """Carry out a program, a statement on each line, and tell what is seen after each.

    Raises ProgramError.
    """
    player = Player()
    states = []
    for line in program.strip().splitlines():
        events = player.step(line.strip())
        allocator = player.allocator
        owners = {owner: name for name, owner in player.names.items()}
        states.append(
            State(
                line.strip(),
                events,
                allocator.allocated,
                allocator.reserved,
                allocator.requested,
                tuple(
                    tuple((owners.get(block.owner or ""), block.size) for block in piece)
                    for segment in allocator.segments
                    for piece in segment.pieces()
                ),
            )
        )
    return states


def to_bytes(count: str, unit: str) -> int:
    """`1.5`, `KiB` -> 1536. Raises ProgramError where that is no whole number of bytes."""
    size = Fraction(count) * UNITS[unit]
    if size.denominator != 1 or size < 1:
        raise ProgramError(f"{count} {unit}")
    return int(size)
