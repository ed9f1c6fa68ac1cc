"""One process with the whole batch against two with half of it each.

一个进程算整个 batch，和两个进程各算一半，各要多久？
"""
# needs: torchrun:2
# measures: yes

import os
import time
from datetime import timedelta

import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel

local_rank = int(os.environ["LOCAL_RANK"])
on_gpus = torch.cuda.device_count() >= int(os.environ["LOCAL_WORLD_SIZE"])
device = torch.device("cuda", local_rank) if on_gpus else torch.device("cpu")
if on_gpus:
    torch.cuda.set_device(device)
backend = "nccl" if on_gpus else "gloo"
dist.init_process_group(backend, timeout=timedelta(seconds=30))
torch.set_num_threads(1)


def fastest_step(model, x):
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    seconds = []
    for _ in range(8):
        start = time.perf_counter()
        optimizer.zero_grad()
        model(x).square().mean().backward()
        optimizer.step()
        if on_gpus:
            torch.cuda.synchronize()
        seconds.append(time.perf_counter() - start)
    return min(seconds)


for width in (16, 64, 128, 256, 512):
    alone, together = (torch.nn.Linear(width, width) for _ in range(2))
    together.load_state_dict(alone.state_dict())
    x = torch.rand(4096, width, device=device)
    # zh: 单独算的时候，rank 1 在 barrier 等着。
    # en: Rank 1 waits at the barrier while rank 0 works alone.
    one = 0 if local_rank else fastest_step(alone.to(device), x)
    dist.broadcast(x, src=0)
    half = x.chunk(2)[local_rank]
    two = fastest_step(DistributedDataParallel(together.to(device)), half)
    if local_rank == 0:
        print(f"width={width:4}  one {one:.5f} s  two {two:.5f} s")
        torch.testing.assert_close(together.weight, alone.weight)

dist.destroy_process_group()
