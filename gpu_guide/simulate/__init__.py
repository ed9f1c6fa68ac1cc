"""Simulated CUDA devices: run code as if this machine had N GPUs, and see where tensors live.

Every tensor stays a real CPU tensor with real values; what is simulated is on which device it is,
what moves it, and which operators refuse to mix devices. That is all: nothing here says anything
about speed, memory, asynchrony, numerics or random numbers of a GPU, and what cannot be answered
raises NotSimulated instead of a plausible value. Of an error about mixed devices only the clause
"Expected all tensors to be on the same device" may be relied on; PyTorch words the rest in
several ways, and a few operators (a convolution's "Input type ... and weight type ... should be
the same", a CPU tensor indexed by one on a GPU) have a text of their own.

What describes the installed PyTorch and not the machine stays as it is: `torch.version.cuda`,
`torch.backends.cuda.is_built()`, `torch.backends.cudnn.version()`.
"""

from __future__ import annotations

import contextlib
import sys
from types import TracebackType
from unittest import mock

import torch
import torch._dynamo  # the first optimizer step would import it, and read what is patched by then

from gpu_guide.simulate import calls, patched_api, unsupported
from gpu_guide.simulate.machine import Machine, NotSimulated

__all__ = ["NotSimulated", "SimulatedCuda"]

_BENCHMARK = "torch.utils.benchmark"


class SimulatedCuda:
    """Context manager: inside, this machine seems to have `devices` CUDA devices.

    Covers the thread it is entered in and threads started inside. Everything is as before on exit,
    the default device too; tensors that outlive it are ordinary CPU tensors. Raises ValueError
    for fewer than one device and RuntimeError where a simulation is already running.
    """

    _running = False

    def __init__(self, devices: int = 2) -> None:
        if devices < 1:
            raise ValueError(f"devices={devices}: simulate one CUDA device or more")
        self.devices = devices

    def __enter__(self) -> SimulatedCuda:
        if SimulatedCuda._running:
            raise RuntimeError("CUDA devices are already simulated: leave that context first")
        default = torch.get_default_device()
        with contextlib.ExitStack() as stack:
            machine = Machine(self.devices)
            for target, name, value in list(patched_api.patches(machine)):
                stack.enter_context(mock.patch.object(target, name, value))
            stack.callback(_unload, _refuse_benchmark())
            stack.enter_context(calls.labelled(machine))
            stack.callback(_restore_default, default)
            self._stack = stack.pop_all()
        SimulatedCuda._running = True
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        SimulatedCuda._running = False
        self._stack.__exit__(kind, error, trace)


def _restore_default(device: torch.device) -> None:
    if torch.get_default_device() != device:
        torch.set_default_device(None if device.type == "cpu" else device)


def _refuse_benchmark() -> dict[str, object]:
    """Put a refusing module where the benchmark tools would be imported; what was there."""
    before = {n: m for n, m in sys.modules.items() if (n + ".").startswith(_BENCHMARK + ".")}
    for name in before:
        del sys.modules[name]
    sys.modules[_BENCHMARK] = unsupported.RefusingModule(_BENCHMARK)
    before["attribute"] = vars(torch.utils).get("benchmark")
    torch.utils.benchmark = sys.modules[_BENCHMARK]
    return before


def _unload(before: dict[str, object]) -> None:
    del torch.utils.benchmark
    if (attribute := before.pop("attribute")) is not None:
        torch.utils.benchmark = attribute
    del sys.modules[_BENCHMARK]
    sys.modules.update(before)
