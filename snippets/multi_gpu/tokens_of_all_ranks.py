"""Ranks with different numbers of tokens: undo DDP's average, divide by all.

各 rank 的 token 数不同：抵消 DDP 的平均，再除以总数。
"""
# needs: torchrun:2

import os

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
rank, world_size = dist.get_rank(), dist.get_world_size()

torch.manual_seed(0)
tokens = torch.rand(12, 3).to(device)
mine = tokens[:10] if rank == 0 else tokens[10:]
layer = torch.nn.Linear(3, 1, bias=False).to(device)
model = DistributedDataParallel(layer)

total = torch.tensor(len(mine), device=device)
dist.all_reduce(total)
losses = {
    "mean of means": lambda: model(mine).mean(),
    # zh: DDP 会除以进程数，所以先乘上。
    # en: DDP divides by the number of processes, so multiply by it first.
    "by tokens": lambda: model(mine).sum() * world_size / total,
}
exact = tokens.mean(0)
for name, loss in losses.items():
    layer.weight.grad = None
    loss().backward()
    same = torch.allclose(layer.weight.grad[0], exact, atol=1e-6)
    print("rank", rank, name, "is the gradient of all tokens:", same)
    #> rank 0 mean of means is the gradient of all tokens: False
    #> rank 0 by tokens is the gradient of all tokens: True
    #> rank 1 mean of means is the gradient of all tokens: False
    #> rank 1 by tokens is the gradient of all tokens: True

dist.destroy_process_group()
