"""What Accelerate's `prepare` and `accumulate` do, in plain PyTorch.

Accelerate 的 `prepare` 和 `accumulate` 所做的事，用纯 PyTorch 写出来。
"""
# needs: torchrun:2

import os
from contextlib import nullcontext

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel

if torch.cuda.is_available():
    device = torch.device("cuda", int(os.environ["LOCAL_RANK"]))
    torch.cuda.set_device(device)
    dist.init_process_group("cpu:gloo,cuda:nccl", device_id=device)
else:
    device = torch.device("cpu")
    dist.init_process_group("gloo")
rank, ranks = dist.get_rank(), dist.get_world_size()

BATCH, ACCUMULATE = 4, 2


def train():
    net = nn.Linear(1, 1, bias=False).to(device)
    nn.init.zeros_(net.weight)
    model = DistributedDataParallel(net)
    optimizer = torch.optim.SGD(net.parameters(), lr=1.0)
    scheduler = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda step: 1.0)
    samples = torch.arange(32.0, device=device).reshape(32, 1)

    # zh: 整个的 batch 轮流分给各个进程，大小不变。
    # en: Whole batches are dealt to the processes in turn, at their full size.
    mine = samples.split(BATCH)[rank::ranks]
    for number, batch in enumerate(mine, start=1):
        last = number % ACCUMULATE == 0
        with nullcontext() if last else model.no_sync():
            (model(batch).mean() / ACCUMULATE).backward()
        if not last:
            continue
        optimizer.step()
        optimizer.zero_grad()
        # zh: 调度器走的步数等于进程数。
        # en: The scheduler makes as many steps as there are processes.
        for _ in range(ranks):
            scheduler.step()
        if rank == 0:
            count = scheduler.last_epoch
            print(f"weight {net.weight.item()}, scheduler at {count}")
            #> weight -7.5, scheduler at 2
            #> weight -31.0, scheduler at 4


train()

dist.destroy_process_group()
