"""Join: a rank that has run out of data takes part until the last is done.

Join：数据先用完的 rank 继续陪着通信，直到最后一个也做完。
"""
# needs: torchrun:2

import os

import torch
import torch.distributed as dist
from torch import nn
from torch.distributed.algorithms.join import Join
from torch.nn.parallel import DistributedDataParallel

if torch.cuda.is_available():
    device = torch.device("cuda", int(os.environ["LOCAL_RANK"]))
    torch.cuda.set_device(device)
    dist.init_process_group("cpu:gloo,cuda:nccl", device_id=device)
else:
    device = torch.device("cpu")
    dist.init_process_group("gloo")
rank = dist.get_rank()

torch.manual_seed(0)
model = DistributedDataParallel(nn.Linear(1, 1).to(device))
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
steps = 0

with Join([model]):
    for x in torch.ones(3 + 2 * rank, 4, 1, device=device):
        optimizer.zero_grad()
        model(x).square().mean().backward()
        optimizer.step()
        steps += 1
    weight = model.module.weight.item()
    print("rank", rank, "after", steps, "steps:", f"{weight:.3f}")
    #> rank 0 after 3 steps: -0.215
    #> rank 1 after 5 steps: -0.235

print("rank", rank, "after Join:", f"{model.module.weight.item():.3f}")
#> rank 0 after Join: -0.235
#> rank 1 after Join: -0.235

dist.destroy_process_group()
