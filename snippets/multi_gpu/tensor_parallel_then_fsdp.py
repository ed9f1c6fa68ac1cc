"""Two dimensions: tensor parallel within, then FSDP across.

两个维度：先在组内做张量并行，再在组间做 FSDP。
"""
# needs: torchrun:4

import copy
import os

import torch
import torch.distributed as dist
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.fsdp import fully_shard
from torch.distributed.tensor import parallel as tp

if torch.cuda.is_available():
    device = torch.device("cuda", int(os.environ["LOCAL_RANK"]))
    torch.cuda.set_device(device)
    dist.init_process_group("cpu:gloo,cuda:nccl", device_id=device)
else:
    device = torch.device("cpu")
    dist.init_process_group("gloo")

names = ("dp", "tp")
mesh = init_device_mesh(device.type, (2, 2), mesh_dim_names=names)
plan = {"0": tp.ColwiseParallel(), "1": tp.RowwiseParallel()}
torch.manual_seed(0)
alone = torch.nn.Sequential(torch.nn.Linear(8, 16), torch.nn.Linear(16, 8))
alone.to(device)
both, swapped = copy.deepcopy(alone), copy.deepcopy(alone)
tp.parallelize_module(both, mesh["tp"], plan)
fully_shard(both, mesh=mesh["dp"])

x = torch.randn(4, 8).to(device)
alone(x).square().mean().backward()
# zh: 同一个 tp 组要用同样的数据，不同的 dp 用不同的。
# en: A tp group shares its data; each dp coordinate has its own.
mine = x[mesh.get_local_rank("dp") :: 2]
both(mine).square().mean().backward()
shape = tuple(both[1].weight.to_local().shape)
print(dist.get_rank(), mesh.get_coordinate(), shape)
#> 0 (0, 0) (4, 8)
#> 1 (0, 1) (4, 8)
#> 2 (1, 0) (4, 8)
#> 3 (1, 1) (4, 8)
for p, q in zip(both.parameters(), alone.parameters(), strict=True):
    torch.testing.assert_close(p.grad.full_tensor(), q.grad, rtol=0, atol=1e-6)

fully_shard(swapped, mesh=mesh["dp"])
try:
    tp.parallelize_module(swapped, mesh["tp"], plan)
except ValueError as error:
    if dist.get_rank() == 0:
        print("FSDP first:", type(error).__name__)
        #> FSDP first: ValueError

dist.destroy_process_group()
