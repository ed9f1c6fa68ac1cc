"""`monitored_barrier` names the rank that did not arrive.

`monitored_barrier` 写明哪个 rank 没有到。
"""
# needs: torchrun:2

import os
from datetime import timedelta

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
