"""Below autograd: each operator's result gets its place, and devices that may not mix do not."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves

from gpu_guide.simulate import rules
from gpu_guide.simulate.machine import CPU, Machine, needs_gpu

Tensor = torch.Tensor
_OPERATOR_SETS = ("aten", "prims", "prim", "profiler")


class Operators(TorchDispatchMode):
    """Applies the rules of `rules` to each operator and labels what it returns."""

    def __init__(self, machine: Machine) -> None:
        super().__init__()
        self.machine = machine

    def __torch_dispatch__(
        self,
        func: Any,
        types: Sequence[type],
        args: tuple = (),
        kwargs: dict[str, Any] | None = None,
    ) -> Any:
        # Code of ours below must not come back to us, or to modes of the user, as a call.
        with torch._C.DisableTorchFunction():
            return self._run(func, args, dict(kwargs or {}))

    def _run(self, func: Any, args: tuple, kwargs: dict[str, Any]) -> Any:
        machine = self.machine
        found = rules.operands(machine, func, args, kwargs)
        wanted = kwargs.get("device")
        if wanted is not None and wanted.type == "cuda":
            home = machine.resolve(wanted)
            kwargs["device"] = CPU
        elif not found:
            home = machine.thread.frame.ambient()
        elif all(operand.device == CPU for operand in found):
            return func(*args, **kwargs)
        elif func.namespace not in _OPERATOR_SETS:
            raise needs_gpu(f"the operator {func} on a CUDA tensor")
        elif func.overloadpacket.__name__.startswith("_foreach_"):
            return self._row_by_row(func, args, kwargs)
        elif machine.thread.frame.lenient:
            home = rules.first_cuda(found)
        else:
            home = rules.common_device(func, found)
        out = _with_random_numbers_of(home, func, args, kwargs)
        if home.type == "cuda":
            theirs = {o.tensor.untyped_storage()._cdata for o in found if o.device == CPU}
            for tensor in tree_leaves(out):
                if isinstance(tensor, Tensor) and not _shares(tensor, theirs):
                    machine.put(tensor, home)
            if func.overloadpacket is torch.ops.aten._pack_padded_sequence:
                machine.put(out[1], CPU)
        return out

    def _row_by_row(self, func: Any, args: tuple, kwargs: dict[str, Any]) -> Any:
        """The `_foreach_` operators: each does its work for the i-th tensors of all its lists."""
        machine = self.machine
        values = [*args, *kwargs.values()]
        lists = [v for v in values if isinstance(v, (list, tuple)) and v and _all_tensors(v)]
        shared = [self._operand(v) for v in values if isinstance(v, Tensor)]
        homes = [
            rules.row(func, [self._operand(tensor) for tensor in tensors], shared)
            for tensors in zip(*lists, strict=True)
        ]
        out = func(*args, **kwargs)
        if isinstance(out, (list, tuple)):
            for tensor, home in zip(out, homes, strict=True):
                machine.put(tensor, home)
        return out

    def _operand(self, tensor: Tensor) -> rules.Operand:
        return rules.Operand(tensor, self.machine.device_of(tensor), "", written=False)


def _shares(tensor: Tensor, storages: set[int]) -> bool:
    return bool(storages) and tensor.untyped_storage()._cdata in storages


def _all_tensors(values: Sequence[Any]) -> bool:
    return all(isinstance(value, Tensor) for value in values)


def _with_random_numbers_of(
    home: torch.device, func: Any, args: tuple, kwargs: dict[str, Any]
) -> Any:
    """Run an operator; one that draws on a CUDA device leaves the CPU's random numbers alone."""
    draws = torch.Tag.nondeterministic_seeded in func.tags
    if not draws or home.type != "cuda" or kwargs.get("generator") is not None:
        return func(*args, **kwargs)
    own = torch.cuda.default_generators[home.index]
    before = torch.default_generator.get_state()
    torch.default_generator.set_state(own.get_state())
    try:
        return func(*args, **kwargs)
    finally:
        own.set_state(torch.default_generator.get_state())
        torch.default_generator.set_state(before)
