"""Counted: each rank keeps its part of weights, gradients and state.

数一数：参数、梯度、优化器状态，每个 rank 只存一份分片。
"""
# needs: torchrun:2

import os

import torch
import torch.distributed as dist
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.fsdp import fully_shard

if torch.cuda.is_available():
    device = torch.device("cuda", int(os.environ["LOCAL_RANK"]))
    torch.cuda.set_device(device)
    dist.init_process_group("cpu:gloo,cuda:nccl", device_id=device)
else:
    device = torch.device("cpu")
    dist.init_process_group("gloo")

mesh = init_device_mesh(device.type, (dist.get_world_size(),))

model = torch.nn.Sequential(torch.nn.Linear(8, 5), torch.nn.Linear(5, 3))
for unit in [*model, model]:
    fully_shard(unit, mesh=mesh)
optimizer = torch.optim.AdamW(model.parameters())
model(torch.ones(4, 8, device=device)).sum().backward()
optimizer.step()

whole = local = 0
for p in model.parameters():
    state = optimizer.state[p]
    for tensor in (p, p.grad, state["exp_avg"], state["exp_avg_sq"]):
        whole += tensor.nbytes
        local += tensor.to_local().nbytes
rows = [p.to_local().shape[0] for p in model.parameters()]
print(dist.get_rank(), "rows", rows, "bytes", local, "of", whole)
#> 0 rows [3, 3, 2, 2] bytes 624 of 1008
#> 1 rows [2, 2, 1, 1] bytes 384 of 1008

total = torch.tensor(local, device=device)
dist.all_reduce(total)
assert total.item() == whole == 16 * sum(p.numel() for p in model.parameters())

dist.destroy_process_group()
