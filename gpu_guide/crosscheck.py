"""Compare simulated CUDA devices with PyTorch's own rules, operation by operation.

Two tensors, seven ways to place them, one operation: where is the result, or is it refused?
`python -m gpu_guide.crosscheck` asks the simulation and FakeTensor, which knows PyTorch's rules
without a device; `--gpu` asks the GPUs of this machine instead, which alone have the last word.
"""

from __future__ import annotations

import argparse
import contextlib
import ctypes
import json
import logging
import subprocess
import sys
import warnings
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
import torch.nn.functional as F
from torch._C._autograd import DeviceType

from gpu_guide import ROOT
from gpu_guide.simulate import SimulatedCuda

Operation = Callable[[torch.Tensor, torch.Tensor], Any]
NO_DATA = "no answer: needs values"
ABORTED = "no answer: the process died"


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


def outcome(operation: Operation, pair: Pair) -> str:
    """Where the result is, or how the operation is refused, in words that can be compared."""
    try:
        a = torch.ones(2, 2, device=pair.first)
        b = torch.ones(() if pair.scalar else (2, 2), device=pair.second)
        with torch.no_grad():
            result = operation(a, b)
    except Exception as error:
        return _refusal(error)
    return str(result.device) if isinstance(result, torch.Tensor) else type(result).__name__


_MISMATCH = ("same device", "indices should be either", "weight type", "expected to be on")


def _refusal(error: Exception) -> str:
    kind = type(error).__name__
    if kind in ("DataDependentOutputException", "DynamicOutputShapeException"):
        return NO_DATA
    if "not linked with support for cuda" in str(error):
        return "no answer: needs a CUDA build"
    return "mismatch" if any(text in str(error) for text in _MISMATCH) else f"error {kind}"


Outcomes = dict[tuple[str, str], str]


def simulated() -> Outcomes:
    """What simulated devices say to every operation and pair."""
    with warnings.catch_warnings(), SimulatedCuda(2):
        warnings.simplefilter("ignore")
        return {case: outcome(OPERATIONS[case[0]], PAIRS[case[1]]) for case in _cases()}


_SCALAR = "cuda:0/cpu 0-dim"
_CHECKED = (
    "native_functions.yaml gives the operator no `device_check: NoCheck`, so its CUDA wrapper "
    "demands one device; FakeTensor lets a CPU tensor without dimensions into every operator"
)
_INDEX = "TensorAdvancedIndexing.cpp refuses an index on another GPU, or on a GPU for a CPU tensor"
_CONVOLUTION = "Convolution.cpp compares the types of input and weight; FakeTensor does not look"
_WHERE = "TensorCompare.cpp moves what has no dimensions to the device of the result"
_FOREACH = "ForeachBinaryOpScalarTensor.cu wants the scalar where the list is"
_FILL = "Fill.cpp reads the value with item() where it is on another device"

KNOWN: dict[tuple[str, str], str] = {
    **{(name, _SCALAR): _CHECKED for name in ("logaddexp", "clamp", "isin", "take")},
    ("embedding", _SCALAR): "embedding is index_select: " + _CHECKED,
}
"""Where the simulation and FakeTensor differ, and why the simulation is right all the same."""


def _cases() -> list[tuple[str, str]]:
    return [(name, pair) for name in OPERATIONS for pair in PAIRS]


def by_fake_tensor() -> Outcomes:
    """What FakeTensor says, asked in processes of its own: some operations kill the process."""
    found: Outcomes = {}
    cases = _cases()
    command = [sys.executable, "-m", "gpu_guide.crosscheck", "--fake-tensor-from"]
    while len(found) < len(cases):
        done = subprocess.run(
            [*command, str(len(found))], stdout=subprocess.PIPE, text=True, cwd=ROOT, check=False
        )
        answers = [json.loads(line) for line in done.stdout.splitlines() if line.startswith('"')]
        if done.returncode and not answers and not found:
            raise RuntimeError(f"FakeTensor cannot be asked: exit status {done.returncode}")
        answered = [*answers, ABORTED] if done.returncode else answers
        found |= dict(zip(cases[len(found) :], answered, strict=False))
    return found


def _print_fake_tensor_from(start: int) -> None:
    """The child's half: one outcome per line, from case `start` on."""
    from torch._subclasses.fake_tensor import FakeTensorMode

    _lend_cuda_a_device_guard()
    logging.disable(logging.CRITICAL)
    warnings.simplefilter("ignore")
    for name, pair in _cases()[start:]:
        mode = FakeTensorMode()
        mode.cache_enabled = False  # a warm cache answers for the wrong device
        with mode:
            answer = outcome(OPERATIONS[name], PAIRS[pair])
        print(json.dumps(answer), flush=True)


def _lend_cuda_a_device_guard() -> None:
    """Let CUDA use the do-nothing device guard of the meta device, as a CUDA build without GPU does.

    A CPU build has no guard for CUDA, without which FakeTensor cannot answer every fifth case. The
    table of guards is a symbol of libc10; where there is none by that name, those cases stay
    unanswered.
    """
    if torch.version.cuda is not None:
        return
    library = Path(torch.__file__).parent / "lib" / "libc10.so"
    cuda, meta = int(DeviceType.CUDA), int(DeviceType.Meta)
    with contextlib.suppress(OSError, ValueError):
        table = ctypes.c_void_p * (max(cuda, meta) + 1)
        guards = table.in_dll(ctypes.CDLL(str(library)), "_ZN3c104impl26device_guard_impl_registryE")
        guards[cuda] = guards[meta]


def by_gpus() -> Outcomes:
    """What the GPUs of this machine say; with one GPU, to the pairs that need only one."""
    gpus = torch.cuda.device_count()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return {
            case: outcome(OPERATIONS[case[0]], PAIRS[case[1]])
            for case in _cases()
            if PAIRS[case[1]].gpus <= gpus
        }


def disagreements(ours: Outcomes, theirs: Outcomes) -> dict[tuple[str, str], tuple[str, str]]:
    """Cases that were answered differently: ours and theirs. Two refusals agree."""
    return {
        case: (ours[case], answer)
        for case, answer in theirs.items()
        if ours[case] != answer and not (_refused(ours[case]) and _refused(answer))
    }


def _refused(answer: str) -> bool:
    return answer == "mismatch" or answer.startswith("error ")


def unlisted(found: Iterable[tuple[str, str]]) -> set[tuple[str, str]]:
    """Disagreements with FakeTensor that KNOWN does not explain."""
    return set(found) - KNOWN.keys()


if __name__ == "__main__":
    _print_fake_tensor_from(int(sys.argv[2]))
