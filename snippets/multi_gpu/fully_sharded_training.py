"""AdamW on shards of the model gives the weights of one process.

在模型的分片上跑 AdamW，得到的权重和一个进程的一样。
"""
# needs: torchrun:2

import copy
import os

import torch
import torch.distributed as dist
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.fsdp import fully_shard
from torch.nn.functional import cross_entropy

if torch.cuda.is_available():
    device = torch.device("cuda", int(os.environ["LOCAL_RANK"]))
    torch.cuda.set_device(device)
    dist.init_process_group("cpu:gloo,cuda:nccl", device_id=device)
else:
    device = torch.device("cpu")
    dist.init_process_group("gloo")

rank, world_size = dist.get_rank(), dist.get_world_size()
torch.manual_seed(0)
alone = torch.nn.Sequential(torch.nn.Linear(8, 5), torch.nn.Linear(5, 3))
alone.to(device)
untrained = alone[0].weight.detach().clone()
sharded = copy.deepcopy(alone)
mesh = init_device_mesh(device.type, (world_size,))
for unit in [*sharded, sharded]:
    fully_shard(unit, mesh=mesh)
weight = sharded[0].weight
local = weight.to_local()
print(rank, type(weight).__name__, tuple(weight.shape), tuple(local.shape))
#> 0 DTensor (5, 8) (3, 8)
#> 1 DTensor (5, 8) (2, 8)


def train(model, x, y):
    optimizer = torch.optim.AdamW(model.parameters(), lr=0.01)
    for _ in range(3):
        cross_entropy(model(x), y).backward()
        optimizer.step()
        optimizer.zero_grad()


x, y = torch.randn(16, 8).to(device), torch.arange(16, device=device) % 3
train(alone, x, y)
train(sharded, x[rank::world_size], y[rank::world_size])
assert not torch.equal(alone[0].weight, untrained)
for p, q in zip(alone.parameters(), sharded.parameters(), strict=True):
    torch.testing.assert_close(p, q.full_tensor(), rtol=0, atol=1e-6)

dist.destroy_process_group()
