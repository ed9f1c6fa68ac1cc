"""Early stopping: one rank decides, and all ranks leave in the same epoch.

提前停止：由一个 rank 决定，所有 rank 在同一轮退出。
"""
# needs: torchrun:2

import os

import torch
import torch.distributed as dist

if torch.cuda.is_available():
    device = torch.device("cuda", int(os.environ["LOCAL_RANK"]))
    torch.cuda.set_device(device)
    dist.init_process_group("cpu:gloo,cuda:nccl", device_id=device)
else:
    device = torch.device("cpu")
    dist.init_process_group("gloo")
rank = dist.get_rank()

losses_of_rank_0 = [0.9, 0.7, 0.8, 0.75, 0.6]
best, waited = float("inf"), 0
stop = torch.zeros(1, device=device)

for epoch, loss in enumerate(losses_of_rank_0):
    # zh: 训练一轮，然后只在 rank 0 上验证。
    # en: Train for an epoch, and then evaluate on rank 0 only.
    if rank == 0:
        waited = 0 if loss < best else waited + 1
        best = min(best, loss)
        stop.fill_(float(waited == 2))
    # zh: 不管停不停，每个 rank 每一轮都调用。
    # en: Every rank calls this in every epoch, whether it stops or not.
    dist.broadcast(stop, src=0)
    if stop.item():
        print(f"rank {rank} stopped after epoch {epoch}")
        #> rank 0 stopped after epoch 3
        #> rank 1 stopped after epoch 3
        break

dist.destroy_process_group()
