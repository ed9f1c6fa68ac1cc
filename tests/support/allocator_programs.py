"""Random programs for the allocator's model: sizes around each of its limits, and others."""

from __future__ import annotations

from collections.abc import Iterable
from random import Random

from allocator_model import EXPANDABLE, MIB
from allocator_player import Player

EDGES = (
    *(1, 512, 513, MIB - 1, MIB, MIB + 1, 3 * MIB, 8 * MIB + 1, 10 * MIB - 513, 10 * MIB),
    *(10 * MIB + 1, 11 * MIB, 11 * MIB + 1, 12 * MIB, 19 * MIB, 20 * MIB, 20 * MIB + 1, 33 * MIB),
)


def random_statement(
    choose: Random, number: int, alive: Iterable[str], streams: int = 1, edges: bool = False
) -> str:
    """The next statement of a program in which the names `alive` are taken.

    Each size is one of EDGES, or, unless only `edges` are wanted, any. Every stream gets tensors,
    and with several of them some tensors are used by two.
    """
    kind, names = choose.random(), sorted(alive)
    if kind < 0.05:
        return "empty_cache()"
    if kind < 0.45 and names:
        return f"del {choose.choice(names)}"
    if kind < 0.5 and names and streams > 1:
        return f"{choose.choice(names)}.record_stream({choose.randrange(streams)})"
    name = choose.choice(names) if kind > 0.92 and names else f"t{number}"
    size = choose.choice(EDGES)
    if not edges and choose.random() < 0.5:
        size = int(2 ** choose.uniform(0, 26))
    stream = choose.randrange(streams)
    return f"{name} = {size} B" + (f" on stream {stream}" if stream else "")


def random_program(seed: int, steps: int = 60, streams: int = 1, expandable: bool = False) -> str:
    """A program of random statements, with a limit that some of them run into."""
    choose, player = Random(seed), Player()
    lines = [EXPANDABLE] if expandable else []
    lines.append(f"limit = {choose.randint(40, 200)} MiB")
    for line in lines:
        player.step(line)
    for number in range(steps):
        lines.append(random_statement(choose, number, player.names, streams, edges=True))
        player.step(lines[-1])
    return "\n".join(lines)
