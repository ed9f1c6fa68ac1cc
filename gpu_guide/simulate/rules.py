"""Which devices one operator may take together: PyTorch's rules, restated for device labels.

Where a tensor of the CPU with no dimensions may join CUDA tensors is not guessed: the installed
PyTorch says it operator by operator in its `native_functions.yaml` (`device_check: NoCheck` where
TensorIterator does the checking, which lets such a tensor in; elsewhere it does not).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import torch

from gpu_guide.simulate.machine import CPU, Machine, needs_gpu


@dataclass(frozen=True)
class Operand:
    """One tensor argument of an operator."""

    tensor: torch.Tensor
    device: torch.device
    argument: str
    written: bool

    @property
    def is_cpu_scalar(self) -> bool:
        """Whether it may join CUDA tensors where the operator allows that at all."""
        return self.device == CPU and self.tensor.dim() == 0 and not self.written


def operands(
    machine: Machine, func: Any, args: Sequence[Any], kwargs: dict[str, Any]
) -> list[Operand]:
    """The tensor arguments of a call, lists of tensors taken apart, with where each lives."""
    found: list[Operand] = []
    declared = func._schema.arguments
    by_name = {argument.name: argument for argument in declared}
    pairs = [*zip(declared, args, strict=False), *((by_name[k], v) for k, v in kwargs.items())]
    for argument, value in pairs:
        written = argument.alias_info is not None and argument.alias_info.is_write
        for tensor in _tensors(value):
            found.append(Operand(tensor, machine.device_of(tensor), argument.name, written))
    return found


def _tensors(value: Any) -> Iterator[torch.Tensor]:
    if isinstance(value, torch.Tensor):
        yield value
    elif isinstance(value, (list, tuple)):
        yield from (item for item in value if isinstance(item, torch.Tensor))


def common_device(func: Any, found: Sequence[Operand]) -> torch.device:
    """Where the result of an operator lives.

    Raises the RuntimeError of mixed devices where PyTorch does. Only the clause "Expected all
    tensors to be on the same device" of its text is what a GPU says: PyTorch has several wordings
    of the rest.
    """
    rule = _SPECIAL.get(func.overloadpacket, _same_device)
    return rule(func, found)


def first_cuda(found: Sequence[Operand]) -> torch.device:
    """The first CUDA device among the operands, else the CPU: what the autograd engine goes by."""
    return next((o.device for o in found if o.device.type == "cuda"), CPU)


def _same_device(func: Any, found: Sequence[Operand]) -> torch.device:
    return _one_device(found, scalars=lets_cpu_scalars_in(func))


def _elementwise(func: Any, found: Sequence[Operand]) -> torch.device:
    """An operator that consists of others, each of which lets a CPU scalar in."""
    return _one_device(found, scalars=True)


def _without_scalars(func: Any, found: Sequence[Operand]) -> torch.device:
    """One whose CUDA kernel does not take the CPU scalar that TensorIterator lets in."""
    return _one_device(found, scalars=False)


def _one_device(found: Sequence[Operand], *, scalars: bool) -> torch.device:
    home = first_cuda(found)
    if home == CPU:
        return CPU
    strangers = [o for o in found if o.device != home and o.device.type in ("cpu", "cuda")]
    for operand in strangers:
        if not operand.is_cpu_scalar or not scalars:
            raise mismatch(home, operand.device)
    if len(strangers) > 1:
        raise RuntimeError("Trying to pass too many CPU scalars to non-CPU kernel!")
    return home


def mismatch(first: torch.device, second: torch.device) -> RuntimeError:
    """The error of mixed devices."""
    return RuntimeError(
        "Expected all tensors to be on the same device, "
        f"but found at least two devices, {first} and {second}!"
    )


def row(func: Any, lists: Sequence[Operand], singles: Sequence[Operand]) -> torch.device:
    """The same for one row of a `_foreach_` operator: the i-th tensors and what all rows share."""
    packet = func.overloadpacket.__name__.strip("_")
    if packet == "foreach_copy":
        return lists[0].device
    home = lists[0].device
    if packet in ("foreach_add", "foreach_mul", "foreach_div"):
        for single in singles:
            reads_it = packet != "foreach_add" and single.device == CPU
            if single.device != home and not reads_it:
                raise RuntimeError(
                    f"scalar tensor expected to be on {home} but is on {single.device}"
                )
    return _same_device(func, lists if packet.startswith("foreach_addc") else [*lists, *singles])


def _first_decides(func: Any, found: Sequence[Operand]) -> torch.device:
    return found[0].device


def _index(func: Any, found: Sequence[Operand]) -> torch.device:
    home = found[0].device
    for operand in found[1:]:
        if operand.device not in (home, CPU):
            raise RuntimeError(
                "indices should be either on cpu or on the same device as the indexed tensor "
                f"({home})"
            )
    return home


def _index_put(func: Any, found: Sequence[Operand]) -> torch.device:
    """Indices are brought to the tensor's device; the values have to be there."""
    home = found[0].device
    for operand in found:
        if operand.argument == "values" and operand.device != home and operand.tensor.dim():
            raise mismatch(home, operand.device)
    return home


def _lerp(func: Any, found: Sequence[Operand]) -> torch.device:
    """The weight may be a CPU scalar, the ends may not: the kernels of Lerp.cu do not take one."""
    _without_scalars(func, [operand for operand in found if operand.argument != "weight"])
    return _same_device(func, found)


def _logical(func: Any, found: Sequence[Operand]) -> torch.device:
    """What is on the CPU may come second, not first."""
    if found[0].device != (home := _same_device(func, found)):
        raise mismatch(home, found[0].device)
    return home


def _where(func: Any, found: Sequence[Operand]) -> torch.device:
    home = first_cuda(found)
    for operand in found:
        if operand.device != home and (operand.tensor.dim() or operand.written):
            raise mismatch(home, operand.device)
    return home


def _masked_fill(func: Any, found: Sequence[Operand]) -> torch.device:
    home = found[0].device
    for operand in found[1:]:
        if operand.argument == "mask" and operand.device != home:
            raise RuntimeError(
                "expected self and mask to be on the same device, but got mask on "
                f"{operand.device} and self on {home}"
            )
        if operand.argument == "value" and home == CPU != operand.device:
            raise RuntimeError("masked_fill_: Expected inputs to be on same device")
    return home


def _convolution(func: Any, found: Sequence[Operand]) -> torch.device:
    image, *rest = found
    for operand in rest:
        if operand.device.type != image.device.type:
            raise RuntimeError(
                f"Input type ({type_name(image.tensor, image.device)}) and {operand.argument} type "
                f"({type_name(operand.tensor, operand.device)}) should be the same"
            )
    return _same_device(func, found)


def _pack(func: Any, found: Sequence[Operand]) -> torch.device:
    for operand in found[1:]:
        if operand.device != CPU:
            raise RuntimeError(
                "'lengths' argument should be a 1D CPU int64 tensor, but got "
                f"{operand.tensor.dim()}D {operand.device} tensor"
            )
    return found[0].device


def type_name(tensor: torch.Tensor, device: torch.device) -> str:
    """What `tensor.type()` says of a tensor on `device`."""
    name = torch.Tensor.type(tensor)
    return name.replace("torch.", "torch.cuda.", 1) if device.type == "cuda" else name


def _rules() -> dict[Any, Callable[[Any, Sequence[Operand]], torch.device]]:
    table: dict[str, Callable[[Any, Sequence[Operand]], torch.device]] = {
        "copy_ copy fill_ fill set_ is_same_size resize_as_": _first_decides,
        "index _unsafe_index": _index,
        "index_put index_put_ _index_put_impl_ _unsafe_index_put": _index_put,
        "lerp lerp_": _lerp,
        "logical_and logical_or logical_xor": _logical,
        "addcdiv addcdiv_ mse_loss smooth_l1_loss binary_cross_entropy": _without_scalars,
        "binary_cross_entropy_with_logits": _without_scalars,
        "allclose ldexp soft_margin_loss": _elementwise,
        "where": _where,
        "masked_fill masked_fill_": _masked_fill,
        "convolution _convolution mkldnn_convolution": _convolution,
        "_pack_padded_sequence": _pack,
    }
    return {
        getattr(torch.ops.aten, name): rule
        for names, rule in table.items()
        for name in names.split()
        if hasattr(torch.ops.aten, name)
    }


_SPECIAL = _rules()


def lets_cpu_scalars_in(func: Any) -> bool:
    """Whether a CPU tensor without dimensions may be mixed with CUDA tensors in this operator."""
    unchecked = _unchecked_operators()
    if unchecked is None:
        return torch.Tag.pointwise in func.tags
    return func.name().removeprefix("aten::") in unchecked


@lru_cache(1)
def _unchecked_operators() -> frozenset[str] | None:
    """Names of the operators with `device_check: NoCheck`; None if PyTorch came without the file.

    Raises NotSimulated if the file is not what it was.
    """
    spec = find_spec("torchgen")
    if spec is None or spec.origin is None:
        return None
    path = Path(spec.origin).parent / "packaged/ATen/native/native_functions.yaml"
    if not path.exists():
        return None
    text = path.read_text(encoding="utf-8")
    names = frozenset(
        block[: block.index("(")]
        for block in re.split(r"^- func: ", text, flags=re.MULTILINE)[1:]
        if "\n  device_check: NoCheck" in block
    )
    if "add.Tensor" not in names or "mm" in names:
        raise needs_gpu(f"mixing devices in this PyTorch ({path.name} has another form)")
    return names
