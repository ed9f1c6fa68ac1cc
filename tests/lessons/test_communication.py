"""The formulas of multi-gpu/ against a ring that is played, and against calls that were counted."""

from __future__ import annotations

import contextlib
import io
import re
import runpy
from typing import Any

import pytest
import ring_model

from gpu_guide.project import HERE


def snippet(name: str) -> dict[str, Any]:
    with contextlib.redirect_stdout(io.StringIO()):
        return runpy.run_path(str(HERE.snippets / "multi_gpu" / f"{name}.py"))


@pytest.mark.parametrize("ranks", [2, 3, 4, 8, 64])
def test_the_ring_sends_what_nvidia_says(ranks: int) -> None:
    factors = {name: factor(ranks) for name, factor in ring_model.BANDWIDTH_TESTS.items()}
    assert ring_model.shares(ranks) == pytest.approx(factors)


@pytest.mark.parametrize("ranks", [2, 8, 64])
def test_volumes_are_those_of_the_ring(ranks: int) -> None:
    volume = snippet("communication_volume")
    assert volume["ddp"](ranks, 7e9) == pytest.approx(ring_model.ddp(ranks, 7e9))
    assert volume["fsdp"](ranks, 7e9) == pytest.approx(ring_model.fsdp(ranks, 7e9))
    assert volume["fsdp"](ranks, 7e9, 4, 4) == pytest.approx(ring_model.fsdp(ranks, 7e9, 4, 4))
    for sizes in (
        {"blocks": 24, "tokens": 4096, "hidden": 2048},
        {"blocks": 1, "tokens": 1, "hidden": 8},
    ):
        assert volume["tensor_parallel"](ranks, **sizes) == pytest.approx(
            ring_model.split(ranks, **sizes)
        )


def test_accumulation_is_as_counted() -> None:
    four = ring_model.counted_in_four()
    assert four["DDP at the end"] == ring_model.counted()["DistributedDataParallel"]
    times_four = {name: 4 * count for name, count in ring_model.counted()["fsdp2"].items()}
    assert four["FSDP2 each time"] == times_four
    sizes = {"allgather": 7e9 * ring_model.BFLOAT16, "reducescatter": 7e9 * ring_model.FLOAT32}
    assert snippet("communication_volume")["fsdp"](8, 7e9, microbatches=4) == pytest.approx(
        ring_model.sent(8, four["FSDP2 each time"], sizes)
    )


def test_the_speedup_is_that_of_equal_batches_on_each_gpu() -> None:
    """Twice the samples are no shorter step: no share of one's own time shrinks."""
    space = snippet("speedup_from_times")
    one, two = space["one"], space["two"]
    for line in ring_model.outputs("speedup_from_times"):
        gpus, seconds, times = (float(n) for n in re.findall(r"\d+(?:\.\d+)?", line))
        expected = ring_model.step_time(int(gpus), one, two) if gpus > 1 else one
        assert seconds == pytest.approx(expected, abs=1e-3)
        assert times == pytest.approx(gpus * one / expected, abs=1e-2)
        assert seconds >= one
