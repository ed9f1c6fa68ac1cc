"""DDP averages the parameters that were trainable when it was created.

DDP 只平均创建它的时候要训练的参数。
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
rank = dist.get_rank()
# zh: 两个 rank 的输入不同，分别是 1 和 2。
# en: The ranks have different inputs, 1 and 2.
x = torch.full((1, 1), rank + 1.0, device=device)


def new():
    layers = [nn.Linear(1, 1, bias=False) for _ in range(2)]
    net = nn.Sequential(*layers).to(device)
    for p in net.parameters():
        nn.init.ones_(p)
    return net


def gradients(net, model):
    net.zero_grad()
    model(x).sum().backward()
    return [p.grad.item() for p in net.parameters()]


net = new()
net[0].requires_grad_(False)
model = DistributedDataParallel(net)
net[0].requires_grad_(True)
print(f"rank {rank}, unfrozen after wrapping: {gradients(net, model)}")
#> rank 0, unfrozen after wrapping: [1.0, 1.5]
#> rank 1, unfrozen after wrapping: [2.0, 1.5]

model = DistributedDataParallel(net)
print(f"rank {rank}, wrapped again: {gradients(net, model)}")
#> rank 0, wrapped again: [1.5, 1.5]
#> rank 1, wrapped again: [1.5, 1.5]

net[0].requires_grad_(False)
try:
    for _ in range(2):
        model(x).sum().backward()
except RuntimeError as error:
    print(f"rank {rank}, frozen:", str(error).split(" in the")[0])
    #> rank 0, frozen: Expected to have finished reduction
    #> rank 1, frozen: Expected to have finished reduction

dist.destroy_process_group()
