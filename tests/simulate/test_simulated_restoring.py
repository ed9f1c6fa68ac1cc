"""Simulated CUDA devices leave nothing behind."""

from __future__ import annotations

import sys
import threading
from typing import Any

import pytest
import torch
from simulated_places import places
from torch import nn

from gpu_guide.simulate import SimulatedCuda


def _everything() -> dict[str, Any]:
    """What the simulation may touch, by name."""
    owners: dict[str, Any] = {
        name: module
        for name, module in sys.modules.items()
        if name.split(".")[0] == "torch"
        and name.split(".")[1:2] in ([], ["cuda"], ["accelerator"], ["nn"], ["autograd"], ["utils"])
    }
    owners |= {"_C": torch._C, "_C._nn": torch._C._nn, "Thread": threading.Thread}
    owners |= {"Tensor": torch.Tensor, "Storage": torch.UntypedStorage, "jit": torch.jit}
    owners |= {"Optimizer": torch.optim.Optimizer, "autocast": torch.autocast}
    owners |= {"DataParallel": nn.DataParallel, "distributed": torch.distributed}
    return {
        f"{owner}.{name}": value
        for owner, thing in owners.items()
        for name, value in vars(thing).items()
    }


def test_everything_is_restored_also_after_an_exception() -> None:
    def use() -> None:
        torch.set_default_device("cuda:1")
        torch.ones(1)
        raise KeyError("from inside")

    benchmark = sys.modules.get("torch.utils.benchmark")  # another test may have imported it
    with SimulatedCuda(2):  # a first time, for what PyTorch loads late
        pass
    before = _everything()
    with pytest.raises(KeyError, match="from inside"), SimulatedCuda(2):
        use()
    after = _everything()
    changed = [k for k, v in before.items() if after.get(k) is not v and k in after]
    missing = before.keys() - after.keys()
    added = {k for k in after.keys() - before.keys() if "torch.utils.benchmark" in k}
    assert (changed, missing, added) == ([], set(), set())
    assert torch.get_default_device() == torch.device("cpu")
    assert sys.modules.get("torch.utils.benchmark") is benchmark


@pytest.mark.skipif(torch.version.cuda is not None, reason="says what a CPU build says")
def test_after_it_a_cpu_build_is_a_cpu_build() -> None:
    with SimulatedCuda(3):
        outlives = torch.ones(1, device="cuda:2")
        assert torch.cuda.device_count() == 3
    assert (torch.cuda.is_available(), torch.cuda.device_count()) == (False, 0)
    assert places(outlives, outlives + torch.ones(1)) == "cpu cpu"
    with pytest.raises(AssertionError, match="Torch not compiled with CUDA enabled"):
        torch.ones(1).cuda()


def test_nothing_leaks_from_one_simulation_into_the_next() -> None:
    with SimulatedCuda(2):
        torch.cuda.set_device(1)
        old = torch.ones(1, device="cuda:1")
        pinned = torch.ones(1).pin_memory()
        numbers = torch.randn(1, device="cuda").item()
    with SimulatedCuda(1):
        assert torch.cuda.current_device() == 0
        assert not torch.cuda.is_initialized() or torch.cuda.device_count() == 1
        assert places(old) == "cpu"
        assert not pinned.is_pinned()
        assert torch.randn(1, device="cuda").item() == numbers


def test_an_earlier_default_device_comes_back() -> None:
    torch.set_default_device("meta")
    try:
        with SimulatedCuda(1):
            assert places(torch.ones(1)) == "meta"
            torch.set_default_device("cuda")
            assert places(torch.ones(1)) == "cuda:0"
        assert torch.get_default_device() == torch.device("meta")
    finally:
        torch.set_default_device(None)
