"""The rules of PyTorch's caching allocator with expandable_segments:True."""

from __future__ import annotations

from allocator_model import (
    LARGE_SEGMENT_SIZE,
    MIN_BLOCK_SIZE,
    SMALL_BUFFER,
    Allocator,
    Block,
    Place,
    Segment,
    round_up,
    segment_size,
)

_ENDLESS = 2**42
"""Bytes of a GPU whose memory never runs out."""


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


def page_size(small: bool) -> int:
    """What an expandable segment of a pool grows by."""
    return SMALL_BUFFER if small else LARGE_SEGMENT_SIZE
