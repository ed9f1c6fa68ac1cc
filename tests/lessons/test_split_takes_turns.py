"""multi_gpu/split_takes_turns counts weights, not what cuBLAS keeps after the first product.

It needs two GPUs; here they are simulated, with an allocator that has such a workspace.
"""

from __future__ import annotations

import gc
import itertools
import re
import time

import pytest
import torch

from gpu_guide.project import HERE
from gpu_guide.simulate import SimulatedCuda

WORKSPACE = 32 * 2**20


class Allocator:
    """Counts the parameters that are alive, and the workspace once there was a product."""

    def __init__(self) -> None:
        self.workspace = 0

    def memory_allocated(self, index: int) -> int:
        gc.collect()
        alive = [o for o in gc.get_objects() if type(o) is torch.nn.Parameter]
        here = torch.device("cuda", index)
        return self.workspace + sum(p.nbytes for p in alive if p.device == here)


@pytest.mark.parametrize("kept", [0, WORKSPACE], ids=["given back", "kept"])
def test_a_workspace_that_stays_is_not_counted(kept, monkeypatch, capsys) -> None:
    path = HERE.snippets / "multi_gpu" / "split_takes_turns.py"
    source = path.read_text(encoding="utf-8").replace("4096", "256")
    allocator = Allocator()
    forward = torch.nn.Linear.forward

    def multiply(layer: torch.nn.Linear, x: torch.Tensor) -> torch.Tensor:
        allocator.workspace = kept
        return forward(layer, x)

    ticks = itertools.count()
    monkeypatch.setattr(time, "perf_counter", lambda: float(next(ticks)))
    monkeypatch.setattr(torch.nn.Linear, "forward", multiply)
    gc.freeze()  # what other tests left is looked at no more: it takes seconds
    try:
        with SimulatedCuda(2), monkeypatch.context() as patch:
            patch.setattr(torch.cuda, "memory_allocated", allocator.memory_allocated)
            exec(compile(source, str(path), "exec"), {"__name__": "__main__"})
    finally:
        gc.unfreeze()
    printed = capsys.readouterr().out
    mib = [int(number) for number in re.findall(r": (\d+) MiB", printed)]
    # Eight layers of 256 x 256 weights and 256 biases, twice on one GPU and once on each of two.
    layers = round(8 * 4 * (256 * 256 + 256) / 2**20)
    assert mib == [2 * layers, layers], printed
