"""Four backward passes, one update: how often do the gradients travel?

反向传播四次，更新一次：梯度交换几次？
"""
# needs: torchrun:2

import contextlib
import os

import torch
import torch.distributed as dist
from torch import nn
from torch.distributed.algorithms.ddp_comm_hooks.default_hooks import (
    allreduce_hook,
)
from torch.nn.parallel import DistributedDataParallel

if torch.cuda.is_available():
    device = torch.device("cuda", int(os.environ["LOCAL_RANK"]))
    torch.cuda.set_device(device)
    dist.init_process_group("cpu:gloo,cuda:nccl", device_id=device)
else:
    device = torch.device("cpu")
    dist.init_process_group("gloo")
rank = dist.get_rank()


def count(group, bucket):
    sent.append(bucket.buffer().nbytes)
    return allreduce_hook(group, bucket)


model = DistributedDataParallel(nn.Linear(8, 4).to(device))
model.register_comm_hook(dist.group.WORLD, count)
for way in ("as it is", "with no_sync"):
    sent = []
    for batch in range(4):
        waits = way == "with no_sync" and batch < 3
        with model.no_sync() if waits else contextlib.nullcontext():
            model(torch.ones(2, 8, device=device)).sum().backward()
    if rank == 0:
        print(f"{way}: exchanges {len(sent)}, bytes {sum(sent)}")
        #> as it is: exchanges 4, bytes 576
        #> with no_sync: exchanges 1, bytes 144

dist.destroy_process_group()
