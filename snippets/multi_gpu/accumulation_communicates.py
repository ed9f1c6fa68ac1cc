"""Four micro-batches in one step: what DDP and FSDP2 communicate, counted.

一步累积四个微批次：数一数 DDP 和 FSDP2 各通信几次。
"""
# needs: torchrun:2

import os
from collections import Counter
from contextlib import nullcontext

import torch
import torch.distributed as dist
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.fsdp import fully_shard
from torch.distributed.tensor.debug import CommDebugMode
from torch.nn.parallel import DistributedDataParallel

if torch.cuda.is_available():
    device = torch.device("cuda", int(os.environ["LOCAL_RANK"]))
    torch.cuda.set_device(device)
    dist.init_process_group("cpu:gloo,cuda:nccl", device_id=device)
else:
    device = torch.device("cpu")
    dist.init_process_group("gloo")
mesh = init_device_mesh(device.type, (dist.get_world_size(),))

x = torch.ones(8, 4, device=device, requires_grad=True)
ddp = DistributedDataParallel(torch.nn.Linear(4, 2).to(device))
fsdp2 = torch.nn.Linear(4, 2).to(device)
fully_shard(fsdp2, mesh=mesh, reshard_after_forward=True)


def step(model, once):
    """Four backward passes; with `once` only the last shares gradients."""
    # zh: 四次反向传播；`once` 为真时，只有最后一次交换梯度。
    counts = Counter()
    for i in range(4):
        waits = once and i < 3
        quiet = nullcontext()
        if model is fsdp2:
            model.set_requires_gradient_sync(not waits)
        elif waits:
            quiet = model.no_sync()
        with quiet, CommDebugMode() as communication:
            model(x).sum().backward()
        for name, count in communication.get_comm_counts().items():
            name = str(name).split(".")[1].strip("_").removesuffix("_base")
            counts[name] += count
    return dict(counts)


# zh: DDP 在第一步之后会重新分一次桶，所以先走一步，不计数。
# en: DDP arranges its buckets anew after the first step: one is not counted.
step(ddp, once=False)
for name, model in (("DDP", ddp), ("FSDP2", fsdp2)):
    for once in (False, True):
        counts = step(model, once)
        if dist.get_rank() == 0:
            print(name, "at the end:" if once else "each time:", counts)
            #> DDP each time: {'allreduce': 4}
            #> DDP at the end: {'allreduce': 1}
            #> FSDP2 each time: {'allgather': 8, 'reduce_scatter': 4}
            #> FSDP2 at the end: {'allgather': 8, 'reduce_scatter': 1}

dist.destroy_process_group()
