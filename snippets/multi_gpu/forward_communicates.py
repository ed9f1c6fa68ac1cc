"""The forward pass of DDP broadcasts buffers, even under eval and no_grad.

DDP 的前向传播会广播缓冲区，eval 和 no_grad 时也一样。
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

model = DistributedDataParallel(nn.BatchNorm1d(2).to(device)).eval()
mean = model.module.running_mean.fill_(5.0 + rank)

with torch.no_grad():
    # zh: 里面的模型不通信：一个 rank 单独验证，就用它。
    # en: The model inside does not communicate: one rank can evaluate alone.
    if rank == 0:
        y = model.module(torch.ones(4, 2, device=device))
        print("rank 0 alone:", list(y.shape))
        #> rank 0 alone: [4, 2]
    print("rank", rank, "before:", mean.tolist())
    #> rank 0 before: [5.0, 5.0]
    #> rank 1 before: [6.0, 6.0]
    model(torch.ones(4, 2, device=device))
    print("rank", rank, "after:", mean.tolist())
    #> rank 0 after: [5.0, 5.0]
    #> rank 1 after: [5.0, 5.0]

dist.destroy_process_group()
