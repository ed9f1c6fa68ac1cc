"""Programs of statements, like `a = 3 MiB`, carried out by the model of the allocator."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from fractions import Fraction

from allocator_expandable import ExpandableAllocator
from allocator_model import EXPANDABLE, GIB, KIB, MIB, Allocator, ProgramError

UNITS = {"B": 1, "KiB": KIB, "MiB": MIB, "GiB": GIB}

STATEMENT = re.compile(
    r"(?P<name>[A-Za-z_]\w*) *= *(?P<count>\d+(?:\.\d+)?) *(?P<unit>B|KiB|MiB|GiB)"
    r"(?: +on +stream +(?P<stream>\d+))?"
    r"|del +(?P<deleted>[A-Za-z_]\w*)|(?P<empty>empty_cache\(\))|(?P<expandable>" + EXPANDABLE + ")"
    r"|(?P<used>[A-Za-z_]\w*)\.record_stream\((?P<by>\d+)\)",
    re.ASCII,
)


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
