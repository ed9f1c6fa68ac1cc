"""Play random programs on the model and on PyTorch's own allocator, and compare after each step.

    python tests/stand_in/compare_allocator.py PROGRAMS [--first SEED] [--left MIB] [--seconds S]
    python tests/stand_in/compare_allocator.py --traces

With `--left` the driver has no more than that to give, as if other programs held the rest. After
`--seconds` no further program begins. The traces are those that also run in the browser.
PYTORCH_ALLOC_CONF=expandable_segments:True is obeyed by both. Compared are allocated, reserved and
requested bytes and each block of each segment: address, size, requested size and state, segment by
segment with its pool and its stream. Prints a JSON object of figures, or the program that differs.
"""

from __future__ import annotations

import argparse
import ctypes
import json
import os
import sys
import time
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass, field
from pathlib import Path
from random import Random
from typing import Any

import torch

sys.path.insert(0, str(Path(__file__).parents[1] / "support"))

from allocator_expandable import ExpandableAllocator
from allocator_model import EXPANDABLE, MIB, Allocator, Segment
from allocator_player import STATEMENT, Player, to_bytes
from allocator_programs import random_statement

STEPS, STREAMS = 60, 3
RELEASE = tuple(map(int, torch.__version__.split(".")[:2]))
TRACES = Path(__file__).parents[1] / "data/allocator_traces.json"
Found = dict[tuple[bool, int], list[list[tuple[int, int, int, str]]]]
"""By pool and stream the pieces of memory by address, each a list of blocks."""


@dataclass
class Figures:
    """What the run was, and how often what was met."""

    torch: str = str(torch.__version__)
    expandable: bool = False
    free_mib: int = 0
    programs: int = 0
    steps: int = 0
    events: dict[str, int] = field(default_factory=dict)
    ties: int = 0
    """Requests for which several free blocks of one size were the smallest."""
    ties_against_address: int = 0
    """Of these, those where the block taken was not the one with the lowest address."""


class Difference(AssertionError):
    """The model and PyTorch disagree."""


class Real:
    """PyTorch's allocator, which plays the same statements."""

    def __init__(self, streams: int) -> None:
        self.streams = [torch.cuda.default_stream()]
        self.streams += [torch.cuda.Stream() for _ in range(streams - 1)]
        self.number_of = {one.cuda_stream: number for number, one in enumerate(self.streams)}
        self.tensors: dict[str, torch.Tensor] = {}
        self.total = torch.cuda.get_device_properties(0).total_memory

    def step(self, statement: str) -> bool:
        """Carry out one statement; whether there was enough memory."""
        match = STATEMENT.fullmatch(statement)
        assert match, statement
        if match["empty"]:
            torch.cuda.empty_cache()
        elif match["deleted"]:
            del self.tensors[match["deleted"]]
        elif match["used"]:
            self.tensors[match["used"]].record_stream(self.streams[int(match["by"])])
        elif match["name"] == "limit":
            # Half a byte more, so that the product is not rounded down to a byte less.
            fraction = (to_bytes(match["count"], match["unit"]) + 0.5) / self.total
            torch.cuda.set_per_process_memory_fraction(fraction)
        else:
            size = to_bytes(match["count"], match["unit"])
            with torch.cuda.stream(self.streams[int(match["stream"] or 0)]):
                try:
                    self.tensors[match["name"]] = torch.empty(
                        size, dtype=torch.uint8, device="cuda"
                    )
                except torch.OutOfMemoryError:
                    return False
        return True

    def reset(self) -> None:
        """Free everything, and lift the limit."""
        self.tensors.clear()
        torch.cuda.empty_cache()
        torch.cuda.set_per_process_memory_fraction(1.0)
        assert torch.cuda.memory_reserved() == 0

    def found(self) -> Found:
        """Every segment as the snapshot has it."""
        found: Found = {}
        for segment in snapshot():
            pool = (segment["segment_type"] == "small", self.number_of[segment["stream"]])
            found.setdefault(pool, []).append(
                [
                    (block["address"], block["size"], _requested(block), block["state"])
                    for block in segment["blocks"]
                ]
            )
        return {pool: sorted(pieces) for pool, pieces in found.items()}

    def numbers(self) -> tuple[int, int, int]:
        """Allocated, reserved and requested bytes."""
        stats = torch.cuda.memory.memory_stats_as_nested_dict()
        keys = ("allocated_bytes", "reserved_bytes", "requested_bytes")
        allocated, reserved, requested = (stats[key]["all"]["current"] for key in keys)
        return allocated, reserved, requested


def snapshot() -> list[dict[str, Any]]:
    """torch.cuda.memory_snapshot().

    That of torch 2.13.0 gives up a reference to its argument that it does not own. Up to Python
    3.11 `False` has a count of references, so that after thousands of calls it is freed, which ends
    the process: hence one reference more.
    """
    segments = torch.cuda.memory_snapshot(include_traces=False)
    ctypes.pythonapi.Py_IncRef(ctypes.py_object(False))
    return segments


def _requested(block: dict[str, Any]) -> int:
    """What was asked for: a free block still tells what it was last asked for."""
    return 0 if block["state"] == "inactive" else block["requested_size"]


def found_in(allocator: Allocator) -> Found:
    """Every segment of the model, as `Real.found` has them."""
    found: Found = {}
    for segment in allocator.segments:
        address = segment.address
        pieces = []
        for block in segment.blocks:
            if block.mapped:
                if not pieces or sum(pieces[-1][-1][:2]) != address:
                    pieces.append([])
                state = "active_pending_free" if block.waiting else "active_allocated"
                state = "inactive" if block.free else state
                pieces[-1].append((address, block.size, block.requested, state))
            address += block.size
        found.setdefault((segment.small, segment.stream), []).extend(pieces)
    return {pool: sorted(pieces) for pool, pieces in found.items()}


def place(allocator: Allocator, known: list[Segment], real: Found) -> None:
    """Give a segment that is new to the model the address that the driver gave it."""
    old = [one for one in allocator.segments if one in known]
    for segment in allocator.segments:
        if segment not in known:
            starts = [piece[0][0] for piece in real.get((segment.small, segment.stream), [])]
            new = [start for start in starts if not any(start in one.addresses() for one in old)]
            compare("new segments", len(new), 1)
            segment.address = new[0]


def play(seed: int, real: Real, figures: Figures) -> None:
    """A random program, and what it met. Raises Difference."""
    choose = Random(seed)
    player = new_player(figures)
    streams = choose.randint(1, STREAMS)

    def statements() -> Iterator[str]:
        for number in range(STEPS):
            if number == 0 and choose.random() < 0.5:
                yield f"limit = {choose.randint(40, 200)} MiB"
            else:
                yield random_statement(choose, number, player.names, streams)

    play_statements(f"seed {seed}", statements(), player, real, figures)


def new_player(figures: Figures) -> Player:
    """What plays on the model of the allocator that PyTorch's settings choose."""
    free, total = torch.cuda.mem_get_info()
    model = ExpandableAllocator if figures.expandable else Allocator
    return Player(model(memory=free, total=total, by_address=RELEASE < (2, 13)))


def play_statements(
    title: str, statements: Iterable[str], player: Player, real: Real, figures: Figures
) -> None:
    """One program, and what it met. Raises Difference."""
    program = [EXPANDABLE] if figures.expandable else []
    for statement in statements:
        program.append(statement)
        known = list(player.allocator.segments)
        try:
            events = player.step(statement)
            enough = real.step(statement)
            found = real.found()
            place(player.allocator, known, found)
            compare("enough memory", enough, "failed" not in events)
            allocator = player.allocator
            numbers = (allocator.allocated, allocator.reserved, allocator.requested)
            compare("allocated, reserved, requested", real.numbers(), numbers)
            compare("segments", found, found_in(allocator))
        except Difference as difference:
            lines = "\n".join(program)
            raise Difference(f"{title}, after\n{lines}\n{difference}") from None
        for event in events:
            figures.events[event] = figures.events.get(event, 0) + 1
        figures.steps += 1
        if "reused" in events:
            taken, *others = player.allocator.tied
            figures.ties += bool(others)
            figures.ties_against_address += any(other < taken for other in others)
    figures.programs += 1


def compare(what: str, real: object, model: object) -> None:
    """Raises Difference."""
    if real != model:
        raise Difference(f"{what}: PyTorch {real}, the model {model}")


def leave(size: int) -> None:
    """Have the driver give away all but about `size` bytes, past PyTorch's allocator, for good."""
    free, _ = torch.cuda.mem_get_info()
    runtime, address = cuda_runtime(), ctypes.c_void_p()
    status = runtime.cudaMalloc(ctypes.byref(address), ctypes.c_size_t(free - size))
    compare("status of cudaMalloc", status, 0)


def cuda_runtime() -> ctypes.CDLL:
    """The CUDA runtime that PyTorch calls: a stand-in is loaded before all, NVIDIA's by PyTorch."""
    process = ctypes.CDLL(None)
    if hasattr(process, "cudaMalloc"):
        return process
    with open("/proc/self/maps", encoding="utf-8") as maps:
        return ctypes.CDLL(next(line.split()[-1] for line in maps if "libcudart" in line))


def main(
    programs: int,
    first: int = 0,
    left: int | None = None,
    seconds: float | None = None,
    traces: bool = False,
) -> Figures:
    """Play the programs of so many seeds, or the traces. Raises Difference."""
    figures = Figures(expandable=EXPANDABLE in os.environ.get("PYTORCH_ALLOC_CONF", ""))
    real = Real(STREAMS)
    if left is not None:
        leave(left * MIB)
    figures.free_mib = torch.cuda.mem_get_info()[0] // MIB
    until = time.monotonic() + (seconds or float("inf"))
    for trace in json.loads(TRACES.read_text(encoding="utf-8")) if traces else ():
        real.reset()
        statements = [step["do"] for step in trace["steps"]]
        play_statements(trace["name"], statements, new_player(figures), real, figures)
    for seed in range(first, first + programs):
        if time.monotonic() >= until:
            break
        real.reset()
        play(seed, real, figures)
    return figures


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("programs", type=int, nargs="?", default=0)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--left", type=int)
    parser.add_argument("--seconds", type=float)
    parser.add_argument("--traces", action="store_true")
    try:
        print(json.dumps(asdict(main(**vars(parser.parse_args())))))
    except Difference as difference:
        sys.exit(str(difference))
