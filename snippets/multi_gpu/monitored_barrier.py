"""`monitored_barrier` says which rank did not come.

`monitored_barrier` 说出是哪个 rank 没有到。
"""
# needs: torchrun:2

import os
from datetime import timedelta

import torch
import torch.distributed as dist

local_rank = int(os.environ["LOCAL_RANK"])
on_gpus = torch.cuda.device_count() >= int(os.environ["LOCAL_WORLD_SIZE"])
if on_gpus:
    torch.cuda.set_device(local_rank)
backend = "nccl" if on_gpus else "gloo"
dist.init_process_group(backend, timeout=timedelta(seconds=30))
rank = dist.get_rank()

# zh: 只有 gloo 有它。用 NCCL 训练时，另建一个 gloo 组。
# en: Only gloo has it. When training with NCCL, make a gloo group besides.
group = dist.new_group(backend="gloo")

if rank == 0:
    try:
        dist.monitored_barrier(group, timeout=timedelta(seconds=1))
    except RuntimeError as error:
        print(str(error).splitlines()[0])
        #> [Rank 0]: Rank 1 failed to pass monitoredBarrier in 1000 ms

dist.destroy_process_group()
