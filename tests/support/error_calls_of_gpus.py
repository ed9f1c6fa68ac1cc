"""Calls that raise the messages of CUDA's code: on two GPUs, and on broken ones."""

from __future__ import annotations

import inspect
import os
from collections.abc import Callable, Mapping
from pathlib import Path
from unittest.mock import patch

import torch
import torch.distributed as dist
from error_calls_of_processes import load_batches
from error_calls_of_tensors import saved_on_a_gpu
from torch import nn


def grown_graph(body: Callable[[], object]) -> Callable[[Path], None]:
    """Record this in a CUDA graph."""

    def record(_: Path) -> None:
        with torch.cuda.graph(torch.cuda.CUDAGraph()):
            body()

    return record


def on_gpu(*shape: int, device: object = "cuda:0") -> torch.Tensor:
    return torch.zeros(*shape, device=device)


def in_child(how: Callable[[], object]) -> Callable[[Path], None]:
    """What a forked process says of it, after this one has used CUDA."""

    def fork(_: Path) -> None:
        on_gpu(1)
        context = torch.multiprocessing.get_context("fork")
        child = context.Process(target=how)
        child.start()
        child.join(60)

    return fork


def mixed_autocast(_: Path) -> None:
    with torch.autocast("cuda", dtype=torch.bfloat16):
        nn.functional.binary_cross_entropy(on_gpu(3), on_gpu(3))


def linear_for_the_cpu(_: Path) -> None:
    weight = torch.quantize_per_tensor(torch.ones(2, 2), 1.0, 0, torch.qint8)
    packed = torch.ops.quantized.linear_prepack(weight, None)
    torch.ops.quantized.linear_dynamic(on_gpu(1, 2), packed)


def cpu_only_nms(_: Path) -> None:
    library = torch.library.Library("torchvision", "DEF")
    library.define("nms(Tensor boxes, Tensor scores, float iou_threshold) -> Tensor")
    library.impl("nms", lambda boxes, scores, iou: scores, "CPU")
    torch.ops.torchvision.nms(on_gpu(1, 4), on_gpu(1), 0.5)


class Replicated(nn.Linear):
    """A model whose forward pass is `how`, called with the replica and its part of the batch."""

    def __init__(self, how: Callable[[nn.Module, torch.Tensor], torch.Tensor]) -> None:
        super().__init__(3, 3)
        self.how = how

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.how(self, x)


def in_replicas(how: Callable[[nn.Module, torch.Tensor], torch.Tensor]) -> Callable[[Path], object]:
    return lambda _: nn.DataParallel(Replicated(how).cuda())(on_gpu(4, 3))


def replicas(_: Path) -> None:
    nn.DataParallel(nn.Linear(3, 3).to("cuda:1"), device_ids=[0, 1])(on_gpu(2, 3))


class NotPinned:
    """A sample that cannot be copied to pinned memory."""

    def pin_memory(self) -> None:
        raise RuntimeError("CUDA error: out of memory")


def pinned_by_a_thread(_: Path) -> None:
    on_gpu(1)
    load_batches([0, 0], num_workers=1, pin_memory=True, collate_fn=lambda _: NotPinned())


def no_compiler(folder: Path) -> None:
    from triton.runtime import build

    with patch.dict(os.environ, PATH=str(folder)):
        os.environ.pop("CC", None)
        asked = inspect.signature(build._build).parameters.values()  # differs by version
        lists = [[] for one in asked if one.default is one.empty][3:]
        build._build("none", "", str(folder), *lists)


def cpu_in_nccl(_: Path) -> None:
    device = torch.device("cuda:0")
    dist.init_process_group("nccl", store=dist.HashStore(), rank=0, world_size=1, device_id=device)
    try:
        dist.all_reduce(torch.ones(1))
    finally:
        dist.destroy_process_group()


STAND_IN: Mapping[str, Callable[[Path], object]] = {
    "alloc-conf-unrecognized": lambda _: torch._C._accelerator_setAllocatorSettings("wrong:1"),
    "different-devices": lambda _: on_gpu(2) + on_gpu(2, device="cuda:1"),
    "index-on-cpu": lambda _: torch.zeros(2)[on_gpu(1).long()],
    "numpy-cuda": lambda _: on_gpu(2).numpy(),
    "generator-device": lambda _: torch.rand(2, device="cuda", generator=torch.Generator()),
    "pin-cuda-tensor": lambda _: on_gpu(2).pin_memory(),
    "out-of-memory": lambda _: on_gpu(2**40),
    "invalid-device-ordinal": lambda _: on_gpu(1, device="cuda:2"),
    "deserialize-fewer-gpus": saved_on_a_gpu("cuda:7"),
    "unsafe-to-autocast": mixed_autocast,
    "no-nms-cuda": cpu_only_nms,
    "no-backend-cuda": cpu_only_nms,
    "quantized-on-cuda": linear_for_the_cpu,
    "dp-device-ids": replicas,
    "dp-replica-failed": in_replicas(lambda model, _: next(model.parameters())),
    "dp-zero-dimensions": lambda _: nn.DataParallel(nn.Identity())(on_gpu(1).sum()),
    "dp-outputs-differ": in_replicas(lambda _, x: x[:, x.device.index :]),
    "fork-cuda": in_child(lambda: on_gpu(1)),
    "caught-in-pin-memory-thread": pinned_by_a_thread,
    "failed-c-compiler": no_compiler,
    "nccl-cpu-tensor": cpu_in_nccl,
    "capture-not-permitted": grown_graph(lambda: on_gpu(2).sum().item()),
    "cuda-graph-empty": grown_graph(lambda: None),
}


def waiting(_: Path) -> None:
    on_gpu(2).add_(1)  # a kernel, while zeros may be a memset
    torch.cuda.synchronize()


FAULTS: Mapping[str, tuple[Mapping[str, object], Callable[[Path], object]]] = {
    "misaligned-address": ({"fault": "launch=716@1"}, waiting),
    "launch-timed-out": ({"fault": "launch=702@1"}, waiting),
    "invalid-configuration": ({"fault": "launch=9@1"}, waiting),
    "ptx-unsupported": ({"fault": "launch=222@1"}, waiting),
    "ecc-error": ({"fault": "synchronize=214@1"}, waiting),
    "cuda-error-out-of-memory": ({"fault": "init=2"}, waiting),
    "nccl-no-gpus": (
        {"count": 0},
        lambda _: dist.init_process_group("nccl", store=dist.HashStore(), rank=0, world_size=1),
    ),
    "sm70-required": ({"capability": "6.1"}, lambda _: torch.compile(lambda x: x + 1)(on_gpu(2))),
}
