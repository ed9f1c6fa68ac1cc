"""The table that `crosscheck` goes through: operations, pairs of devices, known disagreements."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch
import torch.nn.functional as F

Operation = Callable[[torch.Tensor, torch.Tensor], Any]


@dataclass(frozen=True)
class Pair:
    """Where the two tensors are; `scalar` means that the second has no dimensions."""

    first: str
    second: str
    scalar: bool = False

    def __str__(self) -> str:
        return f"{self.first}/{self.second}" + (" 0-dim" if self.scalar else "")

    @property
    def gpus(self) -> int:
        """How many GPUs it takes to try this for real."""
        return 2 if "cuda:1" in (self.first, self.second) else 1


PAIRS = {
    str(pair): pair
    for pair in (
        Pair("cuda:0", "cuda:0"),
        Pair("cuda:0", "cuda:1"),
        Pair("cuda:0", "cpu"),
        Pair("cpu", "cuda:0"),
        Pair("cuda:0", "cpu", scalar=True),
        Pair("cpu", "cuda:0", scalar=True),
        Pair("cuda:0", "cuda:1", scalar=True),
    )
}


def _set_item(a: torch.Tensor, where: Any, value: Any) -> torch.Tensor:
    changed = a.clone()
    changed[where] = value
    return changed


OPERATIONS: dict[str, Operation] = {
    "add": lambda a, b: a + b,
    "sub": lambda a, b: a - b,
    "mul": lambda a, b: a * b,
    "div": lambda a, b: a / b,
    "pow": lambda a, b: a**b,
    "greater": lambda a, b: a > b,
    "eq": lambda a, b: a == b,
    "logical_and": torch.logical_and,
    "maximum": torch.maximum,
    "atan2": torch.atan2,
    "nextafter": torch.nextafter,
    "logaddexp": torch.logaddexp,
    "clamp": lambda a, b: a.clamp(min=b),
    "lerp": lambda a, b: torch.lerp(a, b, 0.5),
    "lerp_weight": lambda a, b: torch.lerp(a, a, b),
    "addcmul": lambda a, b: torch.addcmul(a, a, b),
    "addcdiv_two": lambda a, b: torch.addcdiv(a, b, b),
    "where": lambda a, b: torch.where(a > 0, a, b),
    "where_condition": lambda a, b: torch.where(a > 0, b, b),
    "isclose": torch.isclose,
    "allclose": torch.allclose,
    "equal": torch.equal,
    "isin": torch.isin,
    "matmul": torch.matmul,
    "mm": torch.mm,
    "mv": lambda a, b: torch.mv(a, b[0]),
    "bmm": lambda a, b: torch.bmm(a[None], b[None]),
    "addmm": lambda a, b: torch.addmm(a, b, b),
    "baddbmm": lambda a, b: torch.baddbmm(a[None], a[None], b[None]),
    "dot": lambda a, b: torch.dot(a[0], b[0]),
    "outer": lambda a, b: torch.outer(a[0], b[0]),
    "einsum": lambda a, b: torch.einsum("ij,jk->ik", a, b),
    "tensordot": lambda a, b: torch.tensordot(a, b, 1),
    "cdist": torch.cdist,
    "cross": lambda a, b: torch.linalg.cross(a[:, :1].expand(2, 3), b[:, :1].expand(2, 3)),
    "solve": lambda a, b: torch.linalg.solve(a + torch.eye(2, device=a.device), b),
    "cat": lambda a, b: torch.cat([a, b]),
    "stack": lambda a, b: torch.stack([a, b]),
    "hstack": lambda a, b: torch.hstack([a, b]),
    "broadcast_tensors": lambda a, b: torch.broadcast_tensors(a, b)[1],
    "expand_as": lambda a, b: a.expand_as(b),
    "view_as": lambda a, b: a.view_as(b),
    "copy_": lambda a, b: a.clone().copy_(b),
    "add_": lambda a, b: a.clone().add_(b),
    "add_to_scalar_": lambda a, b: b.clone().add_(a.sum()),
    "fill_": lambda a, b: a.clone().fill_(b),
    "out": lambda a, b: torch.add(a, a, out=b.clone()),
    "zeros_like": lambda a, b: torch.zeros_like(a),
    "new_tensor": lambda a, b: b.new_tensor([1.0]),
    "to_other": lambda a, b: a.to(b),
    "type_as": lambda a, b: a.type_as(b),
    "masked_fill": lambda a, b: a.masked_fill(b > 0, 0.0),
    "masked_fill_value": lambda a, b: a.masked_fill(a > 0, b),
    "masked_select": lambda a, b: a.masked_select(b > 0),
    "gather": lambda a, b: a.gather(1, b.long() * 0),
    "scatter": lambda a, b: a.scatter(1, b.long() * 0, 1.0),
    "scatter_source": lambda a, b: a.scatter(1, a.long() * 0, b),
    "index_select": lambda a, b: a.index_select(0, b.reshape(-1)[:1].long() * 0),
    "index_add": lambda a, b: a.index_add(0, torch.arange(2, device=a.device), b),
    "index": lambda a, b: a[b[0].long() * 0],
    "boolean_index": lambda a, b: a[b > -9],
    "set_item": lambda a, b: _set_item(a, 0, b[0]),
    "set_scalar": lambda a, b: _set_item(a, 0, b.sum()),
    "set_item_index": lambda a, b: _set_item(a, b[0].long() * 0, 1.0),
    "set_item_index_value": lambda a, b: _set_item(a, a[0].long() * 0, b[0]),
    "take": lambda a, b: torch.take(a, b.long() * 0),
    "searchsorted": lambda a, b: torch.searchsorted(a[0], b[0]),
    "bucketize": lambda a, b: torch.bucketize(a, b[0]),
    "repeat_interleave": lambda a, b: a.repeat_interleave(b[0].long(), 0),
    "foreach_add": lambda a, b: torch._foreach_add([a, b], 1.0)[0],
    "foreach_add_lists": lambda a, b: torch._foreach_add([a], [b])[0],
    "foreach_mul_tensor": lambda a, b: torch._foreach_mul([a], b)[0],
    "linear": lambda a, b: F.linear(a, b),
    "linear_bias": lambda a, b: F.linear(a, a, b[0]),
    "embedding": lambda a, b: F.embedding(b.long() * 0, a),
    "convolution": lambda a, b: F.conv1d(a[None], b[None].expand(1, 2, 2)),
    "batch_norm": lambda a, b: F.batch_norm(a, b[0], b[0].abs()),
    "layer_norm": lambda a, b: F.layer_norm(a, (2,), b[0], b[0]),
    "prelu": lambda a, b: F.prelu(a, b.reshape(-1)[:1]),
    "attention": lambda a, b: F.scaled_dot_product_attention(a[None], b[None], b[None]),
    "mse_loss": F.mse_loss,
    "l1_loss": F.l1_loss,
    "huber_loss": F.huber_loss,
    "binary_cross_entropy": lambda a, b: F.binary_cross_entropy(a, b),
    "cross_entropy": lambda a, b: F.cross_entropy(a, b.argmax(-1)),
    "nll_loss": lambda a, b: F.nll_loss(a, b.argmax(-1)),
    "kl_div": lambda a, b: F.kl_div(a, b, reduction="sum"),
    "cosine_similarity": F.cosine_similarity,
}

_CHECKED = (
    "native_functions.yaml gives it no `device_check: NoCheck`, so its CUDA wrapper demands one "
    "device; FakeTensor lets a CPU tensor without dimensions into every operator"
)
_INDEX = "TensorAdvancedIndexing.cpp takes an index from the CPU or from the tensor's own device"
_LERP = "the kernels of Lerp.cu take no CPU scalar, which TensorIterator has let in"
_CONVOLUTION = (
    "Convolution.cpp compares the types of input and weight, and the CUDA kernels below it demand "
    "one device; FakeTensor looks at the input alone"
)
_WHERE = "TensorCompare.cpp moves what has no dimensions to the device of the result"
_FILL = "Fill.cpp and Indexing.cu read a value on another device with item()"
_MASK = "Indexing.cu wants the mask where the tensor is, without dimensions or with"
_FOREACH = "ForeachBinaryOpScalarTensor.cu wants the scalar on the device of the list, or the CPU"
_TWO = "TensorIterator.cpp takes one CPU scalar, not two"
_NEW = "new_tensor is documented to take the tensor's own device, and no current device is set"
_SECOND_SCALAR = "cuda:0/cpu 0-dim"

KNOWN: dict[tuple[str, str], str] = {
    **{(op, _SECOND_SCALAR): _CHECKED for op in ("logaddexp", "clamp", "isin", "take")},
    ("embedding", _SECOND_SCALAR): "it selects by index_select: " + _CHECKED,
    ("addcdiv_two", _SECOND_SCALAR): _TWO,
    ("masked_fill", _SECOND_SCALAR): _MASK,
    ("where", "cuda:0/cuda:1 0-dim"): _WHERE,
    ("where_condition", "cuda:0/cuda:1 0-dim"): _WHERE,
    ("fill_", "cpu/cuda:0 0-dim"): _FILL,
    ("fill_", "cuda:0/cuda:1 0-dim"): _FILL,
    ("masked_fill_value", "cuda:0/cuda:1 0-dim"): _FILL,
    **{
        ("foreach_mul_tensor", pair): _FOREACH
        for pair in ("cpu/cuda:0 0-dim", "cuda:0/cuda:1 0-dim")
    },
    **{("index", pair): _INDEX for pair in ("cuda:0/cuda:1", "cpu/cuda:0")},
    ("lerp", _SECOND_SCALAR): _LERP,
    **{("convolution", pair): _CONVOLUTION for pair in PAIRS if pair != "cuda:0/cuda:0"},
    **{("new_tensor", pair): _NEW for pair in ("cuda:0/cuda:1", "cuda:0/cuda:1 0-dim")},
}
"""Where FakeTensor says otherwise, and what in PyTorch's sources speaks for the simulation."""
