"""DDP averages the gradients of the ranks: equal shares give the whole batch.

DDP 取各 rank 梯度的平均：各份一样大，就等于整个 batch 的梯度。
"""
# needs: torchrun:2

import os

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

torch.manual_seed(0)
x, y = torch.rand(16, 8).to(device), torch.rand(16, 2).to(device)
model = nn.Sequential(nn.Linear(8, 32), nn.Tanh(), nn.Linear(32, 2))
model.to(device)

ddp = DistributedDataParallel(model)


def gradients(loss):
    model.zero_grad()
    loss.backward()
    return nn.utils.parameters_to_vector(p.grad for p in model.parameters())


one_process = gradients(nn.functional.mse_loss(model(x), y))


def difference(sizes, weights=(1, 1)):
    rank = dist.get_rank()
    mine, target = x.split(sizes)[rank], y.split(sizes)[rank]
    loss = nn.functional.mse_loss(ddp(mine), target) * weights[rank]
    return (gradients(loss) - one_process).abs().max().item()


print("8 + 8:", difference([8, 8]) < 1e-6)
#> 8 + 8: True
#> 8 + 8: True
print("12 + 4:", difference([12, 4]) < 1e-6)
#> 12 + 4: False
#> 12 + 4: False
print("12 + 4, weighted:", difference([12, 4], (1.5, 0.5)) < 1e-6)
#> 12 + 4, weighted: True
#> 12 + 4, weighted: True

dist.destroy_process_group()
