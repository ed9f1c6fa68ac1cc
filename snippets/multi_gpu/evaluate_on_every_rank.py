"""Evaluation on every rank: exact shares of unequal size, and model.module.

每个 rank 各验证一份：每份不一样多，一个样本也不重复，用 model.module。
"""
# needs: torchrun:2

import os

import torch
import torch.distributed as dist
from torch import nn
from torch.distributed.tensor.debug import CommDebugMode
from torch.nn.parallel import DistributedDataParallel

if torch.cuda.is_available():
    device = torch.device("cuda", int(os.environ["LOCAL_RANK"]))
    torch.cuda.set_device(device)
    dist.init_process_group("cpu:gloo,cuda:nccl", device_id=device)
else:
    device = torch.device("cpu")
    dist.init_process_group("gloo")
rank, ranks = dist.get_rank(), dist.get_world_size()

torch.manual_seed(0)
net = nn.Sequential(nn.BatchNorm1d(2), nn.Linear(2, 1)).to(device)
model = DistributedDataParallel(net).eval()
data = torch.rand(7, 2).to(device)


def communication(forward, gradients):
    counts = []
    for _ in range(3):
        with CommDebugMode() as mode, torch.set_grad_enabled(gradients):
            forward(data[:1])
        counts.append(mode.get_total_counts())
    return counts


for gradients in (True, False):
    counts = communication(model, gradients)
    print(f"rank {rank}, model, gradients {gradients}:", counts)
    #> rank 0, model, gradients True: [2, 2, 2]
    #> rank 0, model, gradients False: [2, 0, 0]
    #> rank 1, model, gradients True: [2, 2, 2]
    #> rank 1, model, gradients False: [2, 0, 0]
print(f"rank {rank}, model.module:", communication(model.module, True))
#> rank 0, model.module: [0, 0, 0]
#> rank 1, model.module: [0, 0, 0]

# zh: 切片不会重复样本，不过 rank 0 比 rank 1 多一个。
# en: A slice repeats no sample, but rank 0 has one more than rank 1.
mine = data[rank::ranks]
total = torch.zeros(2, device=device)
with torch.no_grad():
    for x in mine.split(1):
        total += torch.stack([model.module(x).sum(), x.new_tensor(len(x))])
    dist.all_reduce(total)
    right = torch.allclose(total[0], net(data).sum())
print(f"rank {rank}: {len(mine)} of {int(total[1])} samples, right: {right}")
#> rank 0: 4 of 7 samples, right: True
#> rank 1: 3 of 7 samples, right: True

dist.destroy_process_group()
