"""What a rank sends, from nothing but the ring itself: played step by step, and counted.

Independent of the formulas of the snippets and of the calculator, which both are held against it.
How often a collective is called is not assumed either: it is what the snippets that count printed.
"""

from __future__ import annotations

import re
from functools import cache

import torch

from gpu_guide.project import HERE
from gpu_guide.snippets.model import parse

BANDWIDTH_TESTS = {
    "allreduce": lambda n: 2 * (n - 1) / n,
    "reducescatter": lambda n: (n - 1) / n,
    "allgather": lambda n: (n - 1) / n,
}
"""Factors from "algorithm bandwidth" to "bus bandwidth" of a link, from the notes of NCCL tests:
https://github.com/NVIDIA/nccl-tests/blob/master/doc/PERFORMANCE.md"""


@cache
def shares(ranks: int) -> dict[str, float]:
    """Of each collective, what one rank sends, as a share of the whole tensor.

    A tensor of one number for each rank goes around; in each step every rank sends one of them to
    its neighbour.
    """
    held = [[ranks * rank + part for part in range(ranks)] for rank in range(ranks)]
    total = [sum(numbers[part] for numbers in held) for part in range(ranks)]
    sent = [0] * ranks
    for step in range(ranks - 1):
        moving = [(rank, (rank - step) % ranks) for rank in range(ranks)]
        values = [held[rank][part] for rank, part in moving]
        for (rank, part), value in zip(moving, values, strict=True):
            held[(rank + 1) % ranks][part] += value
            sent[rank] += 1
    scattered = sent[0]
    assert all(held[rank][(rank + 1) % ranks] == total[(rank + 1) % ranks] for rank in range(ranks))
    for step in range(ranks - 1):
        moving = [(rank, (rank + 1 - step) % ranks) for rank in range(ranks)]
        values = [held[rank][part] for rank, part in moving]
        for (rank, part), value in zip(moving, values, strict=True):
            held[(rank + 1) % ranks][part] = value
            sent[rank] += 1
    assert all(numbers == total for numbers in held)
    assert len(set(sent)) == 1
    return {
        "reducescatter": scattered / ranks,
        "allgather": (sent[0] - scattered) / ranks,
        "allreduce": sent[0] / ranks,
    }


@cache
def counted() -> dict[str, dict[str, int]]:
    """How often each method calls each collective in a step, from multi_gpu/counted_collectives."""
    found: dict[str, dict[str, int]] = {}
    for line in outputs("counted_collectives"):
        method, count, name = line.split()
        found.setdefault(method, {})[name] = int(count)
    return found


@cache
def counted_in_four() -> dict[str, dict[str, int]]:
    """The same for a step of four micro-batches, from multi_gpu/accumulation_communicates."""
    found = {}
    for line in outputs("accumulation_communicates"):
        name, _, counts = line.partition(": ")
        pairs = re.findall(r"'(\w+)': (\d+)", counts)
        found[name] = {collective.replace("_", ""): int(count) for collective, count in pairs}
    return found


def outputs(name: str) -> list[str]:
    """The `#>` lines of a snippet, which a run of it is compared with."""
    snippet = parse(HERE.snippets / "multi_gpu" / f"{name}.py", HERE)
    return [line for printed in snippet.outputs for line in printed.text.splitlines()]


def sent(ranks: int, calls: dict[str, int], sizes: dict[str, float]) -> float:
    """Bytes that a rank sends for these calls, each of a tensor with so many bytes."""
    return sum(count * shares(ranks)[name] * sizes[name] for name, count in calls.items())


FLOAT32, BFLOAT16 = torch.float32.itemsize, torch.bfloat16.itemsize
PAIRS = 2
"""Pairs of split layers in a transformer block: attention and feed-forward."""


def ddp(ranks: int, parameters: float, gradient: int = FLOAT32) -> float:
    return sent(ranks, counted()["DistributedDataParallel"], {"allreduce": parameters * gradient})


def fsdp(
    ranks: int, parameters: float, weight: int = BFLOAT16, reduced: int = FLOAT32, parts: int = 1
) -> float:
    sizes = {"allgather": parameters * weight, "reducescatter": parameters * reduced}
    return parts * sent(ranks, counted()["fsdp2"], sizes)


def split(ranks: int, blocks: int, tokens: int, hidden: int, activation: int = BFLOAT16) -> float:
    size = {"allreduce": tokens * hidden * activation}
    return blocks * PAIRS * sent(ranks, counted()["tensor_parallel"], size)


def step_time(ranks: int, one: float, two: float) -> float:
    """The time of a step, if what two ranks add is the sending, and all links are like theirs."""
    per_share = (two - one) / shares(2)["allreduce"]
    return one + per_share * shares(ranks)["allreduce"]
