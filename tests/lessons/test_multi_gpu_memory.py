"""What a GPU holds under DDP and FSDP2: the guide's formulas against what PyTorch allocates.

Every allocation of a real training step is added up, so that nothing is left out because nobody
thought of it. One process on the CPU is one rank of several: the group sends nothing.
"""

from __future__ import annotations

import contextlib
import io
import json
import runpy
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import torch
import torch.distributed as dist
from torch import nn
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.fsdp import MixedPrecisionPolicy, fully_shard
from torch.nn.parallel import DistributedDataParallel
from torch.profiler import profile
from torch.testing._internal.distributed.fake_pg import FakeStore

from gpu_guide.project import HERE

UNIT, LAYERS = 2**18, 8
PARAMETERS = LAYERS * UNIT
MANY = 1000 * 2**30
"""So many parameters that `decide`, which prints GiB with one decimal, prints bytes of each."""


@contextlib.contextmanager
def one_of(ranks: int) -> Iterator[None]:
    dist.init_process_group("fake", store=FakeStore(), rank=0, world_size=ranks)
    try:
        yield
    finally:
        dist.destroy_process_group()


def allocations(work: Callable[[], object], folder: Path) -> tuple[int, int]:
    """Bytes that `work` allocates: at the peak, and what is left of them when it is done."""
    with profile(profile_memory=True) as seen:
        kept = work()
    trace = folder / "trace.json"
    seen.export_chrome_trace(str(trace))
    events = [e for e in json.loads(trace.read_text())["traceEvents"] if e["name"] == "[memory]"]
    events.sort(key=lambda event: event["ts"])
    totals = [event["args"]["Total Allocated"] for event in events]
    before = totals[0] - events[0]["args"]["Bytes"]
    del kept
    return max(totals) - before, totals[-1] - before


class Layer(nn.Module):
    """One weight and no matrix product, which would allocate a workspace of its own."""

    def __init__(self) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.ones(UNIT))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x * self.weight.mean()


def layers() -> nn.Sequential:
    return nn.Sequential(*(Layer() for _ in range(LAYERS)))


def as_it_is(_, bucket):
    """In place of an all-reduce, which this group does not have in the form that DDP calls.

    No annotations: DDP checks them, and refuses the strings that `from __future__` makes of them.
    """
    done: torch.futures.Future[torch.Tensor] = torch.futures.Future()
    done.set_result(bucket.buffer())
    return done


def ddp_training() -> object:
    model = DistributedDataParallel(layers())
    model.register_comm_hook(None, as_it_is)
    optimizer = torch.optim.AdamW(model.parameters())
    for _ in range(2):
        model(torch.ones(1)).sum().backward()
        optimizer.step()
    return model, optimizer


def fsdp_extra(gpus: int, folder: Path) -> float:
    """Bytes at FSDP2's peak beyond what is kept from step to step, per parameter of a unit."""
    mesh = init_device_mesh("cpu", (gpus,))
    policy = MixedPrecisionPolicy(torch.bfloat16, reduce_dtype=torch.float32)
    model = layers()
    for module in [*model, model]:
        fully_shard(module, mesh=mesh, mp_policy=policy)
    optimizer = torch.optim.AdamW(model.parameters())

    def backward() -> None:
        model(torch.ones(1)).sum().backward()

    backward()
    optimizer.step()
    optimizer.zero_grad()
    peak, gradients = allocations(backward, folder)
    assert abs(gradients - 4 * PARAMETERS / gpus) < 0.1 * UNIT
    # At the peak the gradients of all units but two are there, each 4 bytes over all GPUs.
    return (peak - gradients * (LAYERS - 2) / LAYERS) / UNIT


def functions(name: str) -> dict[str, Any]:
    with contextlib.redirect_stdout(io.StringIO()):
        return runpy.run_path(str(HERE.snippets / f"multi_gpu/{name}.py"))


def decided(too_slow: bool, room: float, gpus: int, units: int = 1) -> tuple[str, float]:
    """What `one_or_several` chooses, and its bytes per parameter."""
    decide = functions("one_or_several")["decide"]
    text = decide(MANY, 0, gpus, room * 1000, too_slow, units)
    choice, size = text.split(" (")
    return choice, float(size.split()[0]) / 1000


def test_ddp_keeps_what_the_guide_says(tmp_path: Path) -> None:
    with one_of(4):
        _, kept = allocations(ddp_training, tmp_path)
    measured = kept / PARAMETERS
    assert functions("training_state_per_gpu")["ddp"](1) == pytest.approx(measured, abs=0.1)
    choice, size = decided(too_slow=True, room=10**6, gpus=4)
    assert (choice, size) == ("DDP", pytest.approx(measured, abs=0.1))


@pytest.mark.parametrize("gpus", [2, 4])
def test_fsdp_peaks_as_the_guide_says(gpus: int, tmp_path: Path) -> None:
    with one_of(gpus):
        extra = fsdp_extra(gpus, tmp_path)
    fsdp = functions("training_state_per_gpu")["fsdp"]
    one, two = fsdp(1, 1, gpus), fsdp(1, 2, gpus)
    assert 2 * (one - two) == pytest.approx(extra, abs=0.1)
    choice, size = decided(too_slow=False, room=1, gpus=gpus)
    assert (choice, size) == ("more GPUs", pytest.approx(16 / gpus + extra, abs=0.1))
