"""With two GPUs of different speed, each step takes as long as the slower one.

两块 GPU 快慢不同时，每一步都和慢的那块一样久。
"""
# needs: torchrun:2

import os
import time

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

model = DistributedDataParallel(nn.Linear(4, 1).to(device))
# zh: 假装 rank 1 的卡慢三倍。
# en: Rank 1 plays a card that is three times slower.
seconds_per_sample = [0.015, 0.045][rank]


def fastest_step(samples):
    times = []
    for _ in range(3):
        start = time.perf_counter()
        x = torch.ones(samples, 4, device=device)
        time.sleep(samples * seconds_per_sample)
        # zh: 损失是平均值，按份的大小加权，梯度才等于整个 batch 的。
        # en: The loss is a mean: weighted by its share, the gradient is exact.
        loss = model(x).mean() * samples / 8
        loss.backward()
        model.module.weight.grad.sum().item()
        times.append(time.perf_counter() - start)
    return min(times)


equal = fastest_step(8)
by_speed = fastest_step([12, 4][rank])
print(f"rank {rank}: equal shares at least as slow as rank 1: {equal >= 0.36}")
#> rank 0: equal shares at least as slow as rank 1: True
#> rank 1: equal shares at least as slow as rank 1: True
print(f"rank {rank}: shares by speed are faster: {by_speed < equal}")
#> rank 0: shares by speed are faster: True
#> rank 1: shares by speed are faster: True

dist.destroy_process_group()
