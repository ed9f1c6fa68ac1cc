"""What DDP, FSDP2 and tensor parallel send in one step, counted.

DDP、FSDP2、张量并行一步各通信几次：数出来的。
"""
# needs: torchrun:2

import os
from datetime import timedelta

import torch
import torch.distributed as dist
from torch.distributed.fsdp import fully_shard
from torch.distributed.tensor import parallel
from torch.distributed.tensor.debug import CommDebugMode
from torch.nn.parallel import DistributedDataParallel

local_rank = int(os.environ["LOCAL_RANK"])
on_gpus = torch.cuda.device_count() >= int(os.environ["LOCAL_WORLD_SIZE"])
device = torch.device("cuda", local_rank) if on_gpus else torch.device("cpu")
if on_gpus:
    torch.cuda.set_device(device)
backend = "nccl" if on_gpus else "gloo"
dist.init_process_group(backend, timeout=timedelta(seconds=30))
mesh = dist.device_mesh.init_device_mesh(device.type, (2,))


def tensor_parallel(model):
    plan = {"0": parallel.ColwiseParallel(), "2": parallel.RowwiseParallel()}
    return parallel.parallelize_module(model, mesh, plan)


def fsdp2(model):
    return fully_shard(model, mesh=mesh, reshard_after_forward=True)


for wrap in (DistributedDataParallel, fsdp2, tensor_parallel):
    model = torch.nn.Sequential(
        torch.nn.Linear(8, 8), torch.nn.ReLU(), torch.nn.Linear(8, 8)
    )
    model = wrap(model.to(device))
    x = torch.ones(4, 8, device=device, requires_grad=True)
    with CommDebugMode() as counter:
        model(x).sum().backward()
    for name, count in counter.get_comm_counts().items():
        kind = str(name).split(".")[1].strip("_").removesuffix("_base")
        if local_rank == 0:
            print(wrap.__name__, count, kind.replace("_", ""))
            #> DistributedDataParallel 1 allreduce
            #> fsdp2 2 allgather
            #> fsdp2 1 reducescatter
            #> tensor_parallel 2 allreduce

dist.destroy_process_group()
