"""Rank 0 saves, and every rank loads.

由 rank 0 保存，每个 rank 都加载。
"""
# needs: torchrun:2
# leaves: files

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

model = DistributedDataParallel(nn.Linear(2, 1).to(device))
if dist.get_rank() == 0:
    # zh: module 是没有套上 DDP 的模型，键名前面没有 module.。
    # en: Without the wrapper, so that no key begins with module.
    torch.save(model.module.state_dict(), "shared.pt")
# zh: 文件写完之前，谁也不去读。
# en: Nobody reads before the file is complete.
dist.barrier()
state = torch.load("shared.pt", map_location="cpu")
model.module.load_state_dict(state)
print(f"rank {dist.get_rank()}: {list(state)}")
#> rank 0: ['weight', 'bias']
#> rank 1: ['weight', 'bias']

dist.destroy_process_group()
