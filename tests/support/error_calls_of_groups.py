"""Calls that raise the messages of process groups, of DDP, of sharding and of checkpoints."""

from __future__ import annotations

import socket
import traceback
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path

import torch
import torch.distributed as dist
from error_calls_of_tensors import X
from free_port import free_port
from torch import nn


@contextmanager
def group() -> Iterator[None]:
    """A process group of this one process."""
    dist.init_process_group("gloo", store=dist.HashStore(), rank=0, world_size=1)
    try:
        yield
    finally:
        dist.destroy_process_group()


KEPT: list[nn.Module] = []
"""Models whose backward pass was broken off. A thread of gloo may still have to give back objects
of Python; where the model's end, in which the interpreter waits for that thread, comes first, both
wait for ever. So they are never ended: main() ends at once."""


def in_ddp(model: nn.Module, **settings: object) -> nn.Module:
    """The model in DDP."""
    wrapped = nn.parallel.DistributedDataParallel(model, **settings)
    KEPT.append(wrapped)
    return wrapped


class TwoLayers(nn.Module):
    """Two layers, of which the forward pass uses one."""

    def __init__(self) -> None:
        super().__init__()
        self.used, self.unused = nn.Linear(3, 3), nn.Linear(3, 3)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.used(x)


def unused_parameters(_: Path) -> None:
    with group():
        model = in_ddp(TwoLayers())
        for _ in range(2):
            model(X).sum().backward()


class Twice(TwoLayers):
    """Uses a layer twice, and computes both again in the backward pass."""

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        for layer in (self.used, self.unused, self.used):
            x = torch.utils.checkpoint.checkpoint(layer, x, use_reentrant=True)
        return x


def ready_twice(_: Path) -> None:
    with group():
        model = in_ddp(Twice(), find_unused_parameters=True)
        model(X.clone().requires_grad_()).sum().backward()


def change_output(_: Path) -> None:
    """As in older releases, where DDP returned no copy."""
    with group():
        model = in_ddp(TwoLayers(), find_unused_parameters=True)
        model._set_ddp_sink_clone(False)
        model(X).div_(2)


def gradient_in_another_order(_: Path) -> None:
    with group():
        images = torch.rand(2, 4, 5, 5).to(memory_format=torch.channels_last)
        in_ddp(nn.Conv2d(4, 6, 1))(images).sum().backward()


def ddp(model: nn.Module, **settings: object) -> None:
    with group():
        nn.parallel.DistributedDataParallel(model, **settings)


def listen_twice(_: Path) -> None:
    with socket.socket() as one:
        one.bind(("0.0.0.0", 0))
        one.listen()
        port = one.getsockname()[1]
        dist.TCPStore("127.0.0.1", port, is_master=True, timeout=timedelta(seconds=2))


def nobody_listens(_: Path) -> None:
    dist.TCPStore("127.0.0.1", free_port(), is_master=False, timeout=timedelta(milliseconds=200))


def nobody_of_that_name(_: Path) -> None:
    wait = timedelta(milliseconds=200)
    dist.TCPStore("nowhere.invalid", free_port(), is_master=False, timeout=wait)


def split_over_a_whole_mesh(_: Path) -> None:
    from torch.distributed.device_mesh import init_device_mesh
    from torch.distributed.tensor.parallel import ColwiseParallel, parallelize_module

    with group():
        mesh = init_device_mesh("cpu", (1, 1), mesh_dim_names=("dp", "tp"))
        parallelize_module(nn.Linear(3, 3), mesh, ColwiseParallel())


def sharded(model: nn.Module) -> nn.Module:
    """The model, sharded by FSDP2 over this one process."""
    from torch.distributed.device_mesh import init_device_mesh
    from torch.distributed.fsdp import fully_shard

    fully_shard(model, mesh=init_device_mesh("cpu", (1,)))
    return model


def layer_of_a_sharded_model(_: Path) -> None:
    with group():
        sharded(nn.Sequential(nn.Linear(3, 3)))[0](X)


def two_dtypes_sharded(_: Path) -> None:
    with group():
        sharded(nn.Sequential(nn.Linear(3, 3), nn.Linear(3, 3).bfloat16()))(X)


def not_in_the_checkpoint(folder: Path) -> None:
    import torch.distributed.checkpoint as dcp

    dcp.save({"saved": X}, checkpoint_id=folder)
    try:
        dcp.load({"new": X.clone()}, checkpoint_id=folder)
    except dcp.CheckpointException:  # which is no Exception
        traceback.print_exc()


def no_metadata(folder: Path) -> None:
    import torch.distributed.checkpoint as dcp

    try:
        dcp.load({"new": X.clone()}, checkpoint_id=folder)
    except dcp.CheckpointException:
        traceback.print_exc()


def synchronized_on_cpu(_: Path) -> None:
    with group():
        nn.SyncBatchNorm(3)(X)


CPU: Mapping[str, Callable[[Path], object]] = {
    "no-nccl": lambda _: dist.init_process_group(
        "nccl", store=dist.HashStore(), rank=0, world_size=1
    ),
    "reduction-not-finished": unused_parameters,
    "marked-ready-twice": ready_twice,
    "ddp-sink-inplace": change_output,
    "grad-strides": gradient_in_another_order,
    "ddp-no-grad-params": lambda _: ddp(nn.ReLU()),
    "ddp-device-ids-cpu": lambda _: ddp(nn.Linear(2, 2), device_ids=[0]),
    "default-group": lambda _: dist.all_reduce(torch.ones(1)),
    "env-rank-expected": lambda _: dist.init_process_group("gloo"),
    "address-in-use": listen_twice,
    "tcpstore-timeout": nobody_listens,
    "address-not-resolved": nobody_of_that_name,
    "mixed-dtensor": layer_of_a_sharded_model,
    "parallelize-mesh-2d": split_over_a_whole_mesh,
    "fsdp2-uniform-dtype": two_dtypes_sharded,
    "dcp-missing-key": not_in_the_checkpoint,
    "dcp-metadata-missing": no_metadata,
    "sync-batch-norm-cpu": synchronized_on_cpu,
}
