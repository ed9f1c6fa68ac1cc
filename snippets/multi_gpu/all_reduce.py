"""all-reduce: every rank gives a tensor, every rank gets the sum.

all-reduce：每个 rank 交出一个张量，每个 rank 都得到总和。
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
