"""An optimizer from before fully_shard: does the layer learn?

在 fully_shard 之前建的优化器：这一层会学到东西吗？
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

mesh = init_device_mesh(device.type, (ranks,))


def learns(early):
    layer = nn.Linear(4, 1).to(device)
    if early:
        optimizer = torch.optim.SGD(layer.parameters(), lr=0.1)
    fully_shard(layer, mesh=mesh)
    if not early:
        optimizer = torch.optim.SGD(layer.parameters(), lr=0.1)
    before = layer.weight.full_tensor().clone()
    layer(torch.ones(1, 4, device=device)).sum().backward()
    optimizer.step()
    return not torch.equal(before, layer.weight.full_tensor())


for when in ("before", "after"):
    learned = learns(early=when == "before")
    if rank == 0:
        print(f"optimizer {when} sharding, weights changed: {learned}")
        #> optimizer before sharding, weights changed: False
        #> optimizer after sharding, weights changed: True

dist.destroy_process_group()
