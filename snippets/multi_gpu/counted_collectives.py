"""What DDP, FSDP2 and tensor parallel send in one step, counted.

DDP、FSDP2、张量并行一步各通信几次：数出来的。
"""
# needs: torchrun:2

import os

import torch
import torch.distributed as dist
from torch.distributed.fsdp import fully_shard
from torch.distributed.tensor import parallel
from torch.distributed.tensor.debug import CommDebugMode
from torch.nn.parallel import DistributedDataParallel

if torch.cuda.is_available():
    device = torch.device("cuda", int(os.environ["LOCAL_RANK"]))
    torch.cuda.set_device(device)
    dist.init_process_group("cpu:gloo,cuda:nccl", device_id=device)
else:
    device = torch.device("cpu")
    dist.init_process_group("gloo")
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
        if dist.get_rank() == 0:
            print(wrap.__name__, count, kind.replace("_", ""))
            #> DistributedDataParallel 1 allreduce
            #> fsdp2 2 allgather
            #> fsdp2 1 reducescatter
            #> tensor_parallel 2 allreduce

dist.destroy_process_group()
