"""all-reduce: every rank gives a tensor, every rank gets the sum.

all-reduce：每个 rank 交出一个张量，每个 rank 都得到总和。
"""
# needs: torchrun:2

import os
from datetime import timedelta

import torch
import torch.distributed as dist

local_rank = int(os.environ["LOCAL_RANK"])
on_gpus = torch.cuda.device_count() >= int(os.environ["LOCAL_WORLD_SIZE"])
device = torch.device("cuda", local_rank) if on_gpus else torch.device("cpu")
if on_gpus:
    torch.cuda.set_device(device)
backend = "nccl" if on_gpus else "gloo"
dist.init_process_group(backend, timeout=timedelta(seconds=30))

rank = dist.get_rank()

# zh: 原地操作：结果写回传进去的张量。
# en: In place: the result is written to the tensor that was passed.
for name in ("SUM", "AVG", "MAX"):
    x = torch.tensor([1.0, 10.0], device=device) * (rank + 1)
    before = x.tolist()
    dist.all_reduce(x, op=getattr(dist.ReduceOp, name))
    print("rank", rank, before, name, x.tolist())
    #> rank 0 [1.0, 10.0] SUM [3.0, 30.0]
    #> rank 0 [1.0, 10.0] AVG [1.5, 15.0]
    #> rank 0 [1.0, 10.0] MAX [2.0, 20.0]
    #> rank 1 [2.0, 20.0] SUM [3.0, 30.0]
    #> rank 1 [2.0, 20.0] AVG [1.5, 15.0]
    #> rank 1 [2.0, 20.0] MAX [2.0, 20.0]

dist.destroy_process_group()
