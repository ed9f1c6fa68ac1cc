"""What a program does with devices, in order: copies, waits, clock readings, and memory taken."""

from __future__ import annotations

import contextlib
import sys
import time
import weakref
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any
from unittest import mock

import torch
from torch.overrides import TorchFunctionMode

from gpu_guide.simulate.machine import CPU, Machine

Tensor = torch.Tensor
_READ = ("item", "tolist", "numpy", "__bool__", "__float__", "__int__", "__index__", "__repr__")
"""Methods of a tensor that hand its values to Python, and so wait for the GPU."""
_SIZED = (
    *(torch.nonzero, torch.argwhere, torch.masked_select, torch.unique),
    *(Tensor.nonzero, Tensor.argwhere, Tensor.masked_select, Tensor.unique),
)
"""Functions whose result has a size that only the values say."""
_BLOCK = 512
"""Bytes: what PyTorch's allocator rounds up to (c10/core/alloc, kMinBlockSize, torch 2.13)."""


@dataclass(frozen=True)
class Event:
    """One thing that happened, and the line of the program that caused it."""

    what: str
    """copy, wait, clock, synchronize or save."""
    line: int
    source: str = ""
    """Of a copy: the device it comes from. Of a wait: what was called."""
    target: str = ""
    size: int = 0
    """Bytes of a copy."""
    non_blocking: bool = False
    pinned: bool = False


@dataclass
class Memory:
    """Bytes on each device that live tensors hold, each in blocks as PyTorch's allocator has."""

    held: dict[str, int] = field(default_factory=dict)
    peak: dict[str, int] = field(default_factory=dict)
    counted: set[int] = field(default_factory=set)

    def take(self, storage: torch.UntypedStorage, device: torch.device) -> None:
        key, place = storage._cdata, str(device)
        if key in self.counted:
            return
        self.counted.add(key)
        size = -(-storage.nbytes() // _BLOCK) * _BLOCK
        self.held[place] = self.held.get(place, 0) + size
        self.peak[place] = max(self.peak.get(place, 0), self.held[place])
        weakref.finalize(storage, self._release, key, place, size)

    def _release(self, key: int, place: str, size: int) -> None:
        self.counted.discard(key)
        self.held[place] -= size


class Events(TorchFunctionMode):
    """Notes what happens while the file `program` runs; `list` has it in order."""

    def __init__(self, program: str) -> None:
        super().__init__()
        self.program = program
        self.list: list[Event] = []
        self.memory = Memory()

    @contextlib.contextmanager
    def noting(self) -> Iterator[None]:
        """While it lasts, events are noted."""
        put = Machine.put_storage

        def put_storage(machine: Machine, storage: Any, device: torch.device) -> None:
            put(machine, storage, device)
            if device != CPU:
                self.memory.take(storage, device)

        with contextlib.ExitStack() as stack:
            stack.enter_context(mock.patch.object(Machine, "put_storage", put_storage))
            for module in (torch.cuda, torch.accelerator):
                real = module.synchronize
                noted = self._before(real, "synchronize", "synchronize")
                stack.enter_context(mock.patch.object(module, "synchronize", noted))
            for name in ("perf_counter", "time", "monotonic"):
                noted = self._before(getattr(time, name), "clock", f"time.{name}")
                stack.enter_context(mock.patch.object(time, name, noted))
            noted = self._before(torch.save, "save", "torch.save")
            stack.enter_context(mock.patch.object(torch, "save", noted))
            stack.enter_context(self)
            yield

    def line(self) -> int:
        """The program's own line that is being carried out; 0 where it is not the program's."""
        frame = sys._getframe(1)
        while frame is not None and frame.f_code.co_filename != self.program:
            frame = frame.f_back
        return 0 if frame is None else frame.f_lineno

    def _before(self, function: Callable[..., Any], what: str, source: str) -> Callable[..., Any]:
        def noted(*args: Any, **kwargs: Any) -> Any:
            if line := self.line():
                self.list.append(Event(what, line, source))
            return function(*args, **kwargs)

        return noted

    def __torch_function__(
        self,
        func: Callable[..., Any],
        types: Sequence[type],
        args: tuple = (),
        kwargs: dict[str, Any] | None = None,
    ) -> Any:
        kwargs = kwargs or {}
        subject = args[0] if args and isinstance(args[0], Tensor) else None
        before = None if subject is None else subject.device
        name = getattr(func, "__name__", "")
        if before is not None and before != CPU and self._waits(func, name, args):
            self.list.append(Event("wait", self.line(), name.strip("_")))
        out = func(*args, **kwargs)
        moved = name in ("to", "cpu", "cuda") and before is not None and isinstance(out, Tensor)
        if moved and out.device != before:
            self._copy(subject, before, out.device, bool(kwargs.get("non_blocking")))
        return out

    def _waits(self, func: Callable[..., Any], name: str, args: tuple) -> bool:
        if name == "__getitem__":
            index = args[1] if isinstance(args[1], tuple) else (args[1],)
            return any(isinstance(one, Tensor) and one.dtype == torch.bool for one in index)
        return name in _READ or func in _SIZED

    def _copy(
        self, source: Tensor, before: torch.device, after: torch.device, non_blocking: bool
    ) -> None:
        size = source.numel() * source.element_size()
        pinned = before == CPU and source.is_pinned()
        line = self.line()
        copied = Event("copy", line, str(before), str(after), size, non_blocking, pinned)
        self.list.append(copied)
        if after == CPU and not non_blocking:
            self.list.append(Event("wait", line, "to"))
