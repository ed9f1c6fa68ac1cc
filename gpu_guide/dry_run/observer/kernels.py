"""Every kernel of a dry run: PyTorch's own CUDA code, and shapes where that cannot run here.

Small tensors have values, which the CPU computes, so that counters, masks of padding and learning
rates are what they would be. Larger ones have none: memory is all that is asked of them.
"""

from __future__ import annotations

import functools
import os
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import torch

from .ledger import Ledger

cpu = sys.modules["stand_in_values"]

LARGEST = int(os.environ["STAND_IN_LARGEST_COPY"])
"""Bytes that one operator may read and write with values: as many as a copy may have."""

_WITHOUT_WORKSPACE = "_fft_"
"""How operators begin that run, but whose library says to a GPU only what it needs: cuFFT's."""
_taken_as_true: set[int] = set()
"""Addresses of what `all` returned: that all numbers are finite, or all shapes equal, is what a
script that works finds."""
_thread = threading.local()
"""Of each thread: `time`, while it is in a kernel."""


def install(ledger: Ledger) -> None:
    """Have each CUDA kernel of this process entered in the ledger."""
    cpu.LARGEST = LARGEST
    Kernel.ledger = Reader.ledger = ledger
    cpu._mark_on_cpu = lambda copy: _assume_copy(ledger, copy)
    cpu._without_doubles = lambda *parts: _assume_no_doubles(ledger, parts)
    cpu.install(Kernel, Reader, allocators=True)


def take_as_finite() -> None:
    """Have `isfinite` say of unknown values that they are, as `isnan` and `isinf` do."""

    def taken(function: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(function)
        def finite(*args: Any, **kwargs: Any) -> torch.Tensor:
            result = function(*args, **kwargs)
            if result.is_cuda:
                _taken_as_true.add(cpu.address(result))
            return result

        return finite

    torch.isfinite, torch.Tensor.isfinite = taken(torch.isfinite), taken(torch.Tensor.isfinite)


@dataclass
class _Entry:
    """One kernel in the ledger, or what it calls in its turn, which belongs to it."""

    ledger: Ledger
    time: int
    outermost: bool

    def given(self, result: Any) -> list[int]:
        """Enter what the kernel returned. Returns the addresses."""
        tensors = (one for one in cpu.tensors(result) if one.is_cuda)
        addresses = [cpu.address(one) for one in tensors if one.layout is torch.strided]
        if self.outermost:
            self.ledger.results[self.time] = addresses
        return addresses


@contextmanager
def _entered(ledger: Ledger, name: str) -> Iterator[_Entry]:
    outermost = not hasattr(_thread, "time")
    if outermost:
        _thread.time = ledger.begin(name)
        ledger.allocates_for(_thread.time)
    try:
        yield _Entry(ledger, _thread.time, outermost)
    finally:
        if outermost:
            del _thread.time
            ledger.allocates_for(-1)


def as_one_kernel(ledger: Ledger, name: str, function: Callable[..., Any]) -> Callable[..., Any]:
    """`function`, whose allocations all count as those of a kernel of this name."""

    @functools.wraps(function)
    def entered(*args: Any, **kwargs: Any) -> Any:
        with _entered(ledger, name) as entry:
            result = function(*args, **kwargs)
            entry.given(result)
            return result

    return entered


class Reader(cpu.Reader):
    """Reads one value from the GPU; what no kernel computed is assumed, and counted."""

    ledger: Ledger

    def __call__(self, keyset: Any, tensor: torch.Tensor) -> Any:
        value = self.cuda.call_boxed(keyset, tensor)
        if not cpu.is_unknown(tensor):
            return value
        site = self.ledger.sites.here()
        self.ledger.assumptions["value", site] += 1
        return type(value)(1 if cpu.address(tensor) in _taken_as_true else self.ledger.assumed)


class Kernel(cpu.Kernel):
    """One operator: entered in the ledger, and given shapes where its CUDA code cannot run."""

    ledger: Ledger

    def __call__(self, keyset: Any, *args: Any, **kwargs: Any) -> Any:
        with _entered(self.ledger, self.name) as entry:
            if self.name.startswith(cpu.ALLOCATORS):
                result = self.cuda.call_boxed(keyset, *args, **kwargs)
            else:
                result = super().__call__(keyset, *args, **kwargs)
            addresses = entry.given(result)
        if self.name == "all":
            _taken_as_true.update(addresses)
        else:
            _taken_as_true.difference_update(addresses)
        return result

    def without_values(self, given: dict[str, Any], result: Any, ran: bool) -> Any:
        """The result of CUDA code alone, or where it could not run, tensors of the right shapes."""
        if not ran or self.name.startswith(_WITHOUT_WORKSPACE):
            self.ledger.shapes_only[self.name] += 1
        if not ran:
            result = self._shapes(given)
        elif self.name == "equal":  # its CUDA code reads what it compared, past the reader
            self.ledger.assumptions["value", self.ledger.sites.here()] += 1
            result = bool(self.ledger.assumed)
        return super().without_values(given, result, True)

    def _shapes(self, given: dict[str, Any]) -> Any:
        device = self.device(given)
        if self.name in cpu.SIZED_BY_VALUES:
            return self._sized_by_assumption(given, device)
        meta = {name: _on_meta(value) for name, value in given.items()}
        call = cpu.EQUIVALENTS.get(self.name, self.operator)
        try:
            answer = call(**meta)
        except NotImplementedError as error:
            raise NotImplementedError(
                f"{self.operator}: its CUDA code needs a GPU, and PyTorch has no meta function "
                "that says which shape comes out"
            ) from error
        for name in [*self.outs, *self.changed]:
            for target, value in cpu.pairs(given.get(name), meta.get(name)):
                if target.shape != value.shape:
                    target.resize_(value.shape)
        if not self.new:
            return self.given_back(given)
        return cpu.map_tensors(answer, lambda one: _like(one, device))

    def _sized_by_assumption(self, given: dict[str, Any], device: torch.device) -> Any:
        """What values decide the size of: as large as the assumed share of a mask makes it."""
        source = given["self"] if "self" in given else given["repeats"]
        self.ledger.assumptions["size", self.ledger.sites.here()] += 1
        many = {"dtype": torch.int64, "device": device}
        match self.name:
            case "nonzero":
                rows = round(source.numel() * self.ledger.share)
                return torch.empty((source.dim(), rows), **many).t()
            case "repeat_interleave":
                return torch.empty(given.get("output_size") or source.numel(), **many)
            case "bincount":
                return torch.empty(max(given.get("minlength") or 0, 1), **many)
        asked = (given.get("return_inverse"), given.get("return_counts"))
        every = [torch.empty(source.numel() if one else 0, **many) for one in asked]
        distinct = torch.empty_like(source)
        if self.name.endswith("_dim") or self.name.endswith("_dim_consecutive"):
            every = [torch.empty(source.shape[given["dim"]] if one else 0, **many) for one in asked]
        else:
            distinct = distinct.flatten()
        return (distinct, every[0]) if self.name == "_unique" else (distinct, *every)


def _on_meta(value: Any) -> Any:
    if isinstance(value, torch.device):
        return torch.device("meta")
    return cpu.map_tensors(value, lambda tensor: tensor.to("meta"))


def _like(shape: torch.Tensor, device: torch.device) -> torch.Tensor:
    return torch.empty_strided(shape.size(), shape.stride(), dtype=shape.dtype, device=device)


def _assume_copy(ledger: Ledger, copy: torch.Tensor) -> torch.Tensor:
    site = ledger.sites.here()
    ledger.assumptions["copy", site] += 1
    return copy.fill_(ledger.assumed)


def _assume_no_doubles(ledger: Ledger, parts: tuple[torch.Tensor, ...]) -> tuple[torch.Tensor, ...]:
    ledger.assumptions["size", ledger.sites.here()] += 1
    return parts
