"""`torch.device` and `torch.Generator`, which the C++ of a CPU build keeps from naming CUDA."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import torch

from gpu_guide.simulate.machine import CPU, Machine, RealDevice
from gpu_guide.simulate.unsupported import Patch


def patches(machine: Machine) -> Iterator[Patch]:
    """The two types, and the random number generators of the simulated devices."""

    class DeviceType(type):
        def __instancecheck__(cls, instance: object) -> bool:
            return isinstance(instance, RealDevice)

        def __subclasscheck__(cls, subclass: type) -> bool:
            return issubclass(subclass, RealDevice)

    class device(metaclass=DeviceType):
        """A bare number means a CUDA device; all else is PyTorch's own."""

        def __new__(cls, *args: Any, **kwargs: Any) -> Any:
            only = args[0] if len(args) == 1 and not kwargs else None
            return RealDevice("cuda", only) if type(only) is int else RealDevice(*args, **kwargs)

    device.__module__, device.__qualname__ = "torch", "device"

    class Generator(torch.Generator):
        """Random numbers of one device; a CUDA device's are not those of the CPU, nor a GPU's."""

        def __new__(cls, device: Any = "cpu") -> Generator:
            return super().__new__(cls, device="cpu")

        def __init__(self, device: Any = "cpu") -> None:
            self._home = machine.resolve(device)
            self.manual_seed(super().initial_seed())

        @property
        def device(self) -> torch.device:
            return self._home

        def manual_seed(self, seed: int) -> Generator:
            self._seed = seed
            super().manual_seed(seed if self._home == CPU else seed ^ 0x5EED)
            return self

        def seed(self) -> int:
            self.manual_seed(super().seed())
            return self._seed

        def initial_seed(self) -> int:
            return self._seed

    initialized, machine.initialized = machine.initialized, False
    defaults = tuple(Generator(RealDevice("cuda", i)) for i in range(machine.devices))
    machine.initialized = initialized
    yield torch, "device", device
    yield torch, "Generator", Generator
    yield torch.cuda, "default_generators", defaults
