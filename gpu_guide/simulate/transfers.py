"""Moving a tensor between devices: a copy on the CPU that has another place."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import torch
from torch.autograd import forward_ad

from gpu_guide.simulate.machine import CPU, Frame, Machine, RealDevice, needs_gpu

Tensor = torch.Tensor
Handler = Callable[[Machine, Callable[..., Any], tuple, dict[str, Any]], Any]
"""Carries out one function of PyTorch's API, called with these arguments."""


def move(machine: Machine, tensor: Tensor, device: torch.device, **kwargs: Any) -> Tensor:
    """`tensor.to(device, **kwargs)` for the CPU or a simulated device."""
    return to(machine, Tensor.to, (tensor, device), kwargs)


def to(machine: Machine, func: Callable[..., Any], args: tuple, kwargs: dict[str, Any]) -> Any:
    tensor, rest = args[0], list(args[1:])
    before = machine.device_of(tensor)
    copy_at = 2
    if kwargs.get("device") is not None:
        wanted, place = kwargs["device"], "device"
    elif rest and (isinstance(rest[0], (str, RealDevice)) or type(rest[0]) is int):
        wanted, place, copy_at = rest[0], 0, 3
    else:
        other = next((v for v in (*rest[:1], *kwargs.values()) if isinstance(v, Tensor)), None)
        wanted, place = before if other is None else machine.device_of(other), None
        if rest and rest[0] is None:
            copy_at = 3
    after = machine.resolve(wanted)
    if after.type not in ("cpu", "cuda"):
        return func(*args, **kwargs)
    if after.type == "cuda" and isinstance(place, int):
        rest[place] = CPU
    elif after.type == "cuda" and place:
        kwargs[place] = CPU
    moves = after != before
    if moves and forward_ad._current_level >= 0:
        raise needs_gpu("a move between devices in forward-mode differentiation")
    if moves and len(rest) > copy_at:
        rest[copy_at] = True
    elif moves:
        kwargs["copy"] = True
    with machine.call(Frame(ambient=lambda: after)):
        out = func(tensor, *rest, **kwargs)
    if moves:
        machine.put(out, after)
        if out.grad_fn is not None:
            out.grad_fn.register_hook(partial(_gradients_back, machine, before))
    return out


def _gradients_back(
    machine: Machine, device: torch.device, inputs: tuple, outputs: tuple
) -> tuple[Any, ...]:
    """After the backward of a move: the gradient goes back to where the tensor came from."""
    return tuple(g if g is None else gradient_to(machine, device, g) for g in inputs)


def gradient_to(machine: Machine, device: torch.device, gradient: Tensor) -> Tensor:
    """The gradient on `device`; to be called by the autograd engine."""
    with torch._C.DisableTorchFunction():
        return move(machine, gradient, device)


def to_cuda(machine: Machine, func: Callable[..., Any], args: tuple, kwargs: dict) -> Tensor:
    tensor, *rest = args
    wanted = rest[0] if rest else kwargs.get("device")
    device = machine.resolve("cuda" if wanted is None else wanted)
    if device.type != "cuda":
        raise RuntimeError(f"Invalid device, must be cuda device but got {device}")
    layout = {k: v for k, v in kwargs.items() if k == "memory_format"}
    return move(machine, tensor, device, **layout)


def to_cpu(machine: Machine, func: Callable[..., Any], args: tuple, kwargs: dict) -> Tensor:
    return move(machine, args[0], CPU, **kwargs)


def copy(machine: Machine, func: Callable[..., Any], args: tuple, kwargs: dict) -> Tensor:
    target, source, *rest = args if len(args) > 1 else (args[0], kwargs.pop("src"))
    if isinstance(source, Tensor) and source.requires_grad:
        home = machine.device_of(target)
        if home.type in ("cpu", "cuda"):
            source = move(machine, source, home)
    with machine.call(Frame(ambient=lambda: CPU)):
        return func(target, source, *rest, **kwargs)
