"""Which rank is slow: its own work is timed, without the communication.

哪个 rank 慢：只量它自己的计算，不算通信。
"""
# needs: torchrun:2

import os
import time

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
rank = dist.get_rank()

model = DistributedDataParallel(nn.Linear(256, 256).to(device))
x = torch.rand(2048, 256, device=device)


def own_seconds():
    start = time.perf_counter()
    # zh: no_sync 里不通信，所以这里不会等其他 rank。
    # en: Nothing communicates in no_sync, so no other rank is waited for.
    with model.no_sync():
        model(x).square().mean().backward()
        # zh: rank 1 多等 0.3 秒，装作一块慢的卡。
        # en: Rank 1 pretends to be a slow GPU: it takes 0.3 s longer.
        time.sleep(0.3 if rank == 1 else 0)
    if device.type == "cuda":
        torch.cuda.synchronize()
    return time.perf_counter() - start


own = torch.tensor([min(own_seconds() for _ in range(3))], device=device)
seconds = [torch.empty_like(own) for _ in range(dist.get_world_size())]
dist.all_gather(seconds, own)
if rank == 0:
    seconds = [t.item() for t in seconds]
    print("slowest: rank", seconds.index(max(seconds)))
    #> slowest: rank 1

dist.destroy_process_group()
