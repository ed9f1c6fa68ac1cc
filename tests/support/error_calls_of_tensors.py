"""Calls that raise the messages of tensors, gradients, saved files and compiled code."""

from __future__ import annotations

import argparse
import copy
import pickle
import sys
import types
from collections.abc import Callable, Mapping
from io import BytesIO
from pathlib import Path
from unittest.mock import patch

import numpy
import torch
from torch import nn
from torch.utils.data import DataLoader

X = torch.ones(2, 3)


def saved(content: object) -> BytesIO:
    """A checkpoint in memory."""
    file = BytesIO()
    torch.save(content, file)
    file.seek(0)
    return file


def saved_on_a_gpu(location: str) -> Callable[[Path], object]:
    """Load what has been saved on a GPU that is not here."""

    def load(_: Path) -> object:
        register = list(torch.serialization._package_registry)
        with patch.object(torch.serialization, "_package_registry", register):
            torch.serialization.register_package(0, lambda one: location, lambda one, where: None)
            file = saved(X)
        return torch.load(file)

    return load


def class_is_gone(_: Path) -> None:
    Net = type("Net", (nn.Module,), {"__module__": "__main__"})
    with patch.object(sys.modules["__main__"], "Net", Net, create=True):
        file = saved(Net())
    torch.load(file, weights_only=False)


def truncated(_: Path) -> None:
    torch.load(BytesIO(saved(X).getvalue()[:300]))


def load_into(model: nn.Module, state: Mapping[str, torch.Tensor]) -> None:
    model.load_state_dict(state)


def with_prefix(prefix: str) -> Callable[[Path], None]:
    """A state_dict whose names have a prefix, into a model without it."""
    state = {prefix + name: value for name, value in nn.Linear(3, 3).state_dict().items()}
    return lambda _: load_into(nn.Linear(3, 3), state)


def twice_backward(_: Path) -> None:
    y = (X.clone().requires_grad_() ** 2).sum()
    y.backward()
    y.backward()


def index_put(_: Path) -> None:
    X.half()[torch.tensor([0])] = X[:1]


def overwritten(_: Path) -> None:
    y = X.clone().requires_grad_().exp()
    y += 1
    y.sum().backward()


def scaled_half(_: Path) -> None:
    weight = torch.ones(2, dtype=torch.float16, requires_grad=True)
    scaler = torch.amp.GradScaler("cpu")
    scaler.scale(weight.float().sum()).backward()
    scaler.unscale_(torch.optim.SGD([weight], lr=1))


def scaled_nothing(_: Path) -> None:
    weight = torch.ones(2, requires_grad=True)
    scaler = torch.amp.GradScaler("cpu")
    scaler.scale(torch.ones(()))
    scaler.step(torch.optim.SGD([weight], lr=1))


def scheduler_first(_: Path) -> None:
    optimizer = torch.optim.SGD([nn.Parameter(X)], lr=1)
    torch.optim.lr_scheduler.StepLR(optimizer, 1).step()


def deterministic(_: Path) -> None:
    torch.use_deterministic_algorithms(True)
    try:
        torch.zeros(2).put_(torch.tensor([0, 0]), torch.ones(2))
    finally:
        torch.use_deterministic_algorithms(False)


def many_values(_: Path) -> None:
    torch._dynamo.reset()

    @torch.compile(backend="eager", dynamic=False)
    def scaled(x: torch.Tensor, name: str) -> torch.Tensor:
        return x * len(name)

    for n in range(12):
        scaled(X, "x" * n)


def many_sizes(_: Path) -> None:
    torch._dynamo.reset()

    @torch.compile(backend="eager", fullgraph=True, dynamic=False)
    def doubled(x: torch.Tensor) -> torch.Tensor:
        return x * 2

    for n in range(2, 12):
        doubled(torch.ones(n))


def no_kernel_of_cuda(library: str, name: str) -> Callable[[Path], None]:
    """The fake kernel of an operator that no library has registered."""
    return lambda _: torch.library.register_fake(f"{library}::{name}")(lambda: None)


def old_argument(_: Path) -> None:
    argparse.ArgumentParser().parse_args(["--local-rank=0"])


def unscaled_twice(_: Path) -> None:
    weight = torch.ones(2, requires_grad=True)
    scaler, optimizer = torch.amp.GradScaler("cpu"), torch.optim.SGD([weight], lr=1)
    scaler.scale(weight.sum()).backward()
    for _ in range(2):
        scaler.unscale_(optimizer)


def checkpointed(**settings: bool) -> Callable[[Path], object]:
    """A layer with activation checkpointing, whose input needs no gradient."""
    return lambda _: torch.utils.checkpoint.checkpoint(nn.Linear(3, 3), X, **settings)


def recomputed_otherwise(_: Path) -> None:
    """A block with activation checkpointing that differs when it is run again."""
    dtypes = iter((torch.float32, torch.float64))
    weight = torch.ones(3, requires_grad=True)

    def block(x: torch.Tensor) -> torch.Tensor:
        return (x * weight).to(next(dtypes)).sin()

    torch.utils.checkpoint.checkpoint(block, X, use_reentrant=False).sum().backward()


def inference(_: Path) -> None:
    with torch.inference_mode():
        x = torch.ones(2)
    (x * nn.Parameter(torch.ones(2))).sum().backward()


def gradient_of_root(_: Path) -> None:
    with torch.autograd.set_detect_anomaly(True):
        (torch.zeros(1, requires_grad=True).sqrt() * 0).backward()


def other_groups(_: Path) -> None:
    one, two = (torch.optim.SGD([nn.Parameter(X) for _ in range(n)], lr=1) for n in (1, 2))
    one.load_state_dict(two.state_dict())


def full_disk(_: Path) -> None:
    with open("/dev/full", "w", encoding="utf-8") as file:
        file.write("x")


CPU: Mapping[str, Callable[[Path], object]] = {
    "not-compiled-with-cuda": lambda _: X.cuda(),
    "parent-directory": lambda folder: torch.save({}, folder / "none" / "x.pt"),
    "open-file-failed": lambda folder: torch._C.PyTorchFileReader(str(folder / "none.pt")),
    "no-attribute-cuda-setdevice": lambda _: torch.cuda.set_device(0),
    "accelerator-none": lambda _: X.to(0),
    "no-attribute-to": lambda _: {}.to("cpu"),
    "no-module-pynvml": lambda _: torch.cuda.utilization(),
    "deserialize-no-cuda": saved_on_a_gpu("cuda:1"),
    "nms-missing": no_kernel_of_cuda("torchvision", "nms"),
    "input-type-weight-type": lambda _: nn.Conv1d(1, 1, 1)(torch.ones(1, 1, 2).double()),
    "numpy-requires-grad": lambda _: torch.ones(2, requires_grad=True).numpy(),
    "numpy-bfloat16": lambda _: X.bfloat16().numpy(),
    "item-many-elements": lambda _: X.item(),
    "meta-no-data": lambda _: nn.Linear(2, 2, device="meta").to("cpu"),
    "item-on-meta": lambda _: torch.ones((), device="meta").item(),
    "invalid-device-string": lambda _: torch.device("cuda 0"),
    "expected-one-of-device": lambda _: torch.device("gpu"),
    "non-leaf-optimizer": lambda _: torch.optim.SGD([nn.Parameter(X) * 2], lr=1),
    "empty-parameter-list": lambda _: torch.optim.SGD(nn.ReLU().parameters(), lr=1),
    "mat-shapes": lambda _: nn.Linear(4, 1)(X),
    "backward-second-time": twice_backward,
    "inplace-modified": overwritten,
    "no-grad-fn": lambda _: X.sum().backward(),
    "assert-bce": lambda _: nn.functional.binary_cross_entropy(X + 1, X),
    "target-out-of-bounds": lambda _: nn.functional.cross_entropy(X, torch.tensor([0, 3])),
    "index-out-of-range-self": lambda _: nn.Embedding(2, 2)(torch.tensor([2])),
    "cant-pickle": lambda _: pickle.dumps(lambda: None),
    "module-prefix": with_prefix("module."),
    "orig-mod-prefix": with_prefix("_orig_mod."),
    "missing-keys": with_prefix("model."),
    "state-dict-size-mismatch": lambda _: load_into(nn.Linear(3, 3), nn.Linear(2, 3).state_dict()),
    "zero3-empty-weights": lambda _: load_into(
        nn.Linear(3, 3), {"weight": torch.empty(0), "bias": torch.empty(0)}
    ),
    "weights-only-failed": lambda _: torch.load(saved(types.SimpleNamespace())),
    "unsupported-operand": lambda _: torch.load(BytesIO(b"<html>\n")),
    "zip-archive": truncated,
    "no-module-when-loading": class_is_gone,
    "unscale-fp16": scaled_half,
    "no-inf-checks": scaled_nothing,
    "half-but-float": lambda _: X @ X.T.half(),
    "half-overflow": lambda _: X.half().masked_fill(X > 0, -1e9),
    "index-put-dtype": index_put,
    "list-of-arrays": lambda _: torch.tensor([numpy.ones(3)] * 2),
    "lengths-on-cpu": lambda _: nn.utils.rnn.pack_padded_sequence(
        X, torch.tensor([2, 1], device="meta")
    ),
    "data-dependent-branching": lambda _: torch.compile(
        lambda x: x if x.sum() > 0 else -x, fullgraph=True, backend="eager"
    )(X),
    "trace-compiled": lambda _: torch.fx.symbolic_trace(
        torch.compile(lambda x: x + 1, backend="eager")
    ),
    "long-but-float": lambda _: nn.functional.cross_entropy(X, torch.ones(2)),
    "not-implemented-for-half": lambda _: torch.cdist(X.half(), X.half()),
    "amp-deprecated": lambda _: torch.cuda.amp.autocast(enabled=False),
    "scheduler-before-optimizer": scheduler_first,
    "deterministic-error": deterministic,
    "recompile-limit": many_values,
    "recompile-limit-fullgraph": many_sizes,
    "unrecognized-local-rank": old_argument,
    "compiled-without-cuda": lambda _: torch.cuda.device(0).__enter__(),
    "not-linked-with-device": lambda _: X.to("mps"),
    "negative-device-index": lambda _: torch.device("cuda", -1),
    "module-to-integers": lambda _: nn.Linear(2, 2).to(torch.int64),
    "deepcopy-non-leaf": lambda _: copy.deepcopy(nn.Parameter(X) * 2),
    "leaf-inplace": lambda _: nn.Parameter(torch.ones(2)).add_(1),
    "grad-of-vector": lambda _: nn.Parameter(torch.ones(2)).backward(),
    "size-of-tensor-a": lambda _: X + torch.ones(2, 4),
    "expected-channels": lambda _: nn.Conv2d(3, 1, 1)(torch.ones(1, 4, 4, 3)),
    "view-stride": lambda _: X.t().view(6),
    "bool-of-tensor": lambda _: bool(X),
    "inference-tensor": inference,
    "memory-summary-keyerror": lambda _: torch.cuda.memory_summary(),
    "index-of-dimension": lambda _: X[torch.tensor([3])],
    "negative-strides": lambda _: torch.from_numpy(numpy.ones(3)[::-1]),
    "numpy-object": lambda _: torch.tensor(numpy.array([[1], [1, 2]], dtype=object)),
    "num-samples-zero": lambda _: DataLoader([], shuffle=True),
    "prefetch-without-workers": lambda _: DataLoader([1], prefetch_factor=2),
    "parameter-group-size": other_groups,
    "returned-nan": gradient_of_root,
    "autocast-disabled": lambda _: torch.autocast("cuda"),
    "low-precision-linalg": lambda _: torch.linalg.inv(torch.eye(2).half()),
    "no-space-left": full_disk,
    "zero3-weight-2d": lambda _: nn.functional.embedding(torch.tensor([0]), torch.empty(0)),
    "batch-norm-one-value": lambda _: nn.BatchNorm1d(3)(X[:1]),
    "sampler-and-shuffle": lambda _: DataLoader([X], sampler=[0], shuffle=True),
    "unscale-twice": unscaled_twice,
    "checkpoint-use-reentrant": checkpointed(),
    "checkpoint-no-gradients": checkpointed(use_reentrant=True),
    "checkpoint-recomputed-differs": recomputed_otherwise,
}
