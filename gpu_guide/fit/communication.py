"""Bytes that each GPU sends in a training step, by the formulas of snippets/multi_gpu.

theme/assets/calculator.js has the same; both are tested against tests/support/ring_model.py.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True)
class Step:
    """A training step, with what the calculator of multi-gpu/ shows at first."""

    parameters: float = 1
    """In billions."""
    blocks: int = 24
    hidden: int = 2048
    tokens: int = 16384
    """Of a micro-batch: on a GPU, or on a group of GPUs with tensor parallelism."""
    microbatches: int = 1
    bandwidth: float = 25
    """Of a GPU in one direction, in GB/s."""
    gpus: int = 8
    gradient: int = 4
    """Bytes of a gradient that DDP sums."""
    weight: int = 2
    """Bytes of a weight that FSDP2 gathers."""
    reduced: int = 4
    """Bytes of a gradient that FSDP2 sums."""
    group: int = 8
    """GPUs that share a block with tensor parallelism."""
    activation: int = 2
    """Bytes of an activation that tensor parallelism sums."""


def gathered(gpus: int, size: float) -> float:
    """Bytes that a GPU sends for an all-gather or a reduce-scatter of `size` bytes in a ring."""
    return (gpus - 1) / gpus * size


def ddp(on: Step) -> float:
    """Bytes for one all-reduce of the gradients, in the last micro-batch."""
    return 2 * gathered(on.gpus, on.parameters * 1e9 * on.gradient)


def fsdp(on: Step) -> float:
    """Bytes for two all-gathers of the weights and a reduce-scatter, in each micro-batch."""
    parameters = on.parameters * 1e9
    weights = 2 * gathered(on.gpus, parameters * on.weight)
    return on.microbatches * (weights + gathered(on.gpus, parameters * on.reduced))


def split(on: Step) -> float:
    """Bytes for four all-reduces of the activations of each block, in each micro-batch."""
    size = on.tokens * on.hidden * on.activation
    return on.microbatches * on.blocks * 4 * 2 * gathered(on.group, size)


METHODS: dict[str, Callable[[Step], float]] = {"ddp": ddp, "fsdp": fsdp, "split": split}
