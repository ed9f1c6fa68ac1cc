"""DDP averages gradients: a loss that sums has half its gradient on two.

DDP 对梯度取平均：损失用求和的，两个进程时梯度只剩一半。
"""
# needs: torchrun:2

import os

import torch
import torch.distributed as dist
from torch.nn.functional import mse_loss
from torch.nn.parallel import DistributedDataParallel

if torch.cuda.is_available():
    device = torch.device("cuda", int(os.environ["LOCAL_RANK"]))
    torch.cuda.set_device(device)
    dist.init_process_group("cpu:gloo,cuda:nccl", device_id=device)
else:
    device = torch.device("cpu")
    dist.init_process_group("gloo")
rank = dist.get_rank()

x = torch.arange(8.0, device=device).view(8, 1)
target = torch.zeros(8, 1, device=device)
rows = slice(4 * rank, 4 * rank + 4)

for reduction, factor in (("mean", 1), ("sum", 1), ("sum", 2)):
    layer = torch.nn.Linear(1, 1, bias=False, device=device)
    torch.nn.init.ones_(layer.weight)
    mse_loss(layer(x), target, reduction=reduction).backward()
    whole = layer.weight.grad.item()
    layer.zero_grad()
    model = DistributedDataParallel(layer)
    loss = mse_loss(model(x[rows]), target[rows], reduction=reduction)
    (factor * loss).backward()
    if rank == 0:
        print(factor, reduction, whole, layer.weight.grad.item())
        #> 1 mean 35.0 35.0
        #> 1 sum 280.0 140.0
        #> 2 sum 280.0 280.0

dist.destroy_process_group()
