"""The pretended machine: how many CUDA devices it has, which is current, and what lives on which.

A tensor's place is written on its storage: views, `.data`, saved tensors and Parameters share the
storage and so share the place, as they do on a GPU. A storage without a mark is on the CPU.
"""

from __future__ import annotations

import contextlib
import os
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import torch

CPU = torch.device("cpu")
RealDevice = torch.device
"""`torch.device` itself: while the simulation is on, the name `torch.device` is a stand-in."""
_MARK = "_gpu_guide_place"


class NotSimulated(NotImplementedError):
    """Asked of simulated devices what only a real GPU can answer."""

    __module__ = "gpu_guide.simulate"


def needs_gpu(what: str) -> NotSimulated:
    """The refusal of `what`, a call by its name or a thing that is done."""
    return NotSimulated(f"{what} is not simulated: it needs a real GPU")


@dataclass(frozen=True)
class _Place:
    machine: Machine
    device: torch.device
    pinned: bool = False


@dataclass(frozen=True)
class Frame:
    """The call from user code that is being carried out, seen from the operators inside it."""

    ambient: Callable[[], torch.device]
    """Where a tensor made out of nothing inside the call lives."""
    lenient: bool = False
    """Whether the caller is the autograd engine, whose own mixing of devices is no error."""


NO_CALL = Frame(ambient=lambda: CPU)


class _PerThread(threading.local):
    current = 0
    frame = NO_CALL
    real_storages = 0


class Machine:
    """State of one simulation; every thread has its own current device, as in CUDA."""

    def __init__(self, devices: int) -> None:
        self.devices = devices
        self.initialized = False
        self.thread = _PerThread()
        self._process = os.getpid()
        self._visible = os.environ.get("CUDA_VISIBLE_DEVICES")

    def initialize(self) -> None:
        """Note that CUDA was used. Raises NotSimulated where the answer could not be right."""
        self.check_visible_devices()
        if os.getpid() != self._process:
            raise needs_gpu("CUDA in a forked process")
        self.initialized = True

    def check_visible_devices(self) -> None:
        """Raise NotSimulated if CUDA_VISIBLE_DEVICES was changed since the simulation began."""
        if os.environ.get("CUDA_VISIBLE_DEVICES") != self._visible:
            raise needs_gpu("a change of CUDA_VISIBLE_DEVICES")

    def resolve(self, device: Any) -> torch.device:
        """What a device argument means: CUDA gets the current index, other types stay as given.

        Raises AcceleratorError for a CUDA ordinal that does not exist, and whatever
        `torch.device` raises for nonsense.
        """
        if type(device) is int:
            device = RealDevice("cuda", device)
        elif not isinstance(device, RealDevice):
            device = RealDevice(device)
        if device.type == "cpu":
            return CPU
        if device.type != "cuda":
            return device
        self.initialize()
        index = self.thread.current if device.index is None else device.index
        if not 0 <= index < self.devices:
            raise torch.AcceleratorError(
                f"CUDA error: invalid device ordinal (cuda:{index}, {self.devices} simulated)"
            )
        return RealDevice("cuda", index)

    def exchange(self, index: int) -> int:
        """Make `index` the current device and return the one before; negative changes nothing."""
        before = self.thread.current
        if index >= 0:
            self.thread.current = self.resolve(index).index
        return before

    def place_of(self, storage: torch.UntypedStorage) -> torch.device | None:
        """The CUDA device that a storage is on, None if it is not on a simulated one."""
        place = getattr(storage, _MARK, None)
        if place is None or place.machine is not self or place.device == CPU:
            return None
        if os.getpid() != self._process:
            raise needs_gpu("a CUDA tensor in a forked process")
        return place.device

    def device_of(self, tensor: torch.Tensor) -> torch.device:
        """Where a tensor lives: its simulated device, or its real one (CPU, meta, …)."""
        storage = _storage_of(tensor)
        place = None if storage is None else self.place_of(storage)
        return tensor.device if place is None else place

    def put(self, tensor: torch.Tensor, device: torch.device) -> torch.Tensor:
        """Declare that a tensor of its own lives on `device`, the CPU or a simulated one.

        Raises NotSimulated for a tensor without a storage (sparse) on a CUDA device.
        """
        storage = _storage_of(tensor)
        if storage is None:
            if device != CPU:
                raise needs_gpu(f"a {tensor.layout} tensor on {device}")
        elif tensor.device == CPU and (self.place_of(storage) or CPU) != device:
            self.put_storage(storage, device)
        return tensor

    def put_storage(self, storage: torch.UntypedStorage, device: torch.device) -> None:
        """Declare that a storage lives on `device`."""
        setattr(storage, _MARK, _Place(self, device))

    def pin(self, storage: torch.UntypedStorage) -> None:
        """Declare that a storage on the CPU is pinned memory."""
        setattr(storage, _MARK, _Place(self, CPU, pinned=True))

    def is_pinned(self, storage: torch.UntypedStorage) -> bool:
        """Whether a storage was declared to be pinned."""
        place = getattr(storage, _MARK, None)
        return place is not None and place.machine is self and place.pinned

    @contextlib.contextmanager
    def call(self, frame: Frame) -> Iterator[None]:
        """While it lasts, operators belong to the call that `frame` describes."""
        before, self.thread.frame = self.thread.frame, frame
        try:
            yield
        finally:
            self.thread.frame = before

    @contextlib.contextmanager
    def real_storages(self) -> Iterator[None]:
        """While it lasts, `storage.device` is the real device: for PyTorch's own copying of
        bytes."""
        self.thread.real_storages += 1
        try:
            yield
        finally:
            self.thread.real_storages -= 1


def _storage_of(tensor: torch.Tensor) -> torch.UntypedStorage | None:
    functorch = torch._C._functorch
    while functorch.is_functorch_wrapped_tensor(tensor):
        tensor = functorch.get_unwrapped(tensor)
    if tensor.layout != torch.strided:
        return None
    return tensor.untyped_storage()
