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

from collections.abc import Iterator
from dataclasses import dataclass, field

KIB, MIB, GIB = 2**10, 2**20, 2**30
MIN_BLOCK_SIZE = 512  # kMinBlockSize: sizes are rounded up to a multiple of it
SMALL_SIZE = MIB  # kSmallSize: the largest request of the small pool
SMALL_BUFFER = 2 * MIB  # kSmallBuffer: a segment of the small pool, or a page of an expandable one
MIN_LARGE_ALLOC = 10 * MIB  # kMinLargeAlloc: from here on a request has a segment of its own
ROUND_LARGE = 2 * MIB  # kRoundLarge: whose size is rounded up to a multiple of it
LARGE_SEGMENT_SIZE = 20 * MIB  # large_segment_size_: the segment of what lies between, or a page


EXPANDABLE = "expandable_segments:True"


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


def round_up(size: int, step: int) -> int:
    """The next multiple of `step`."""
    return -(-size // step) * step


def segment_size(size: int) -> int:
    """What a rounded request that no free block can hold asks the driver for."""
    if size <= SMALL_SIZE:
        return SMALL_BUFFER
    if size < MIN_LARGE_ALLOC:
        return LARGE_SEGMENT_SIZE
    return round_up(size, ROUND_LARGE)
