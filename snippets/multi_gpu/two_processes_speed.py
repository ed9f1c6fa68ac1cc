"""One process with the whole batch against two with half of it each.

一个进程算整个 batch，和两个进程各算一半，各要多久？
"""
# needs: torchrun:2
# measures: yes

import os
import time

import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel

if torch.cuda.is_available():
    device = torch.device("cuda", int(os.environ["LOCAL_RANK"]))
    torch.cuda.set_device(device)
    dist.init_process_group("cpu:gloo,cuda:nccl", device_id=device)
else:
    device = torch.device("cpu")
    dist.init_process_group("gloo")
rank = dist.get_rank()
torch.set_num_threads(1)


def fastest_step(model, x):
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    seconds = []
    for _ in range(8):
        start = time.perf_counter()
        optimizer.zero_grad()
        model(x).square().mean().backward()
        optimizer.step()
        if device.type == "cuda":
            torch.cuda.synchronize()
        seconds.append(time.perf_counter() - start)
    return min(seconds)


for width in (16, 64, 128, 256, 512):
    alone, together = (torch.nn.Linear(width, width) for _ in range(2))
    together.load_state_dict(alone.state_dict())
    x = torch.rand(4096, width, device=device)
    # zh: 单独算的时候，rank 1 在 broadcast 那里等着。
    # en: Rank 1 waits in broadcast while rank 0 works alone.
    one = 0 if rank else fastest_step(alone.to(device), x)
    dist.broadcast(x, src=0)
    half = x.chunk(2)[rank]
    two = fastest_step(DistributedDataParallel(together.to(device)), half)
    if rank == 0:
        print(f"width={width:4}  one {one:.5f} s  two {two:.5f} s")
        torch.testing.assert_close(together.weight, alone.weight)

dist.destroy_process_group()
