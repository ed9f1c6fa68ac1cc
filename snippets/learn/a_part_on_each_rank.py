"""What each of two ranks keeps of a layer, its gradient and Adam's state.

两个 rank 各存一层的多少：权重、梯度和 Adam 的状态。
"""
# needs: torchrun:2

import os

import torch
import torch.distributed as dist
from torch import nn
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.fsdp import fully_shard

if torch.cuda.is_available():
    device = torch.device("cuda", int(os.environ["LOCAL_RANK"]))
    torch.cuda.set_device(device)
    dist.init_process_group("cpu:gloo,cuda:nccl", device_id=device)
else:
    device = torch.device("cpu")
    dist.init_process_group("gloo")
rank, ranks = dist.get_rank(), dist.get_world_size()

layer = nn.Linear(64, 100, bias=False).to(device)
fully_shard(layer, mesh=init_device_mesh(device.type, (ranks,)))
optimizer = torch.optim.Adam(layer.parameters())
layer(torch.ones(8, 64, device=device)).sum().backward()
optimizer.step()

weight = layer.weight
average = optimizer.state[weight]["exp_avg"]
rows = [x.to_local().shape[0] for x in (weight, weight.grad, average)]
print(f"rank {rank} of {ranks}: rows {rows} of {weight.shape[0]}")
#> rank 0 of 2: rows [50, 50, 50] of 100
#> rank 1 of 2: rows [50, 50, 50] of 100

dist.destroy_process_group()
