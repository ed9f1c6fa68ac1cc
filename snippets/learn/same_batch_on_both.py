"""Two ranks with the same batch: the average gradient is that of one.

两个 rank 用同一个 batch：平均梯度和一个进程的一样。
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
net = nn.Linear(4, 1).to(device)
batch = torch.randn(8, 4).to(device)
net(batch).square().mean().backward()
alone = net.weight.grad.clone()

net.zero_grad()
model = DistributedDataParallel(net)
model(batch).square().mean().backward()
if dist.get_rank() == 0:
    print(torch.allclose(net.weight.grad, alone))
    #> True

dist.destroy_process_group()
