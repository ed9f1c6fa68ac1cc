"""A metric over all ranks: add up its parts, then divide once.

所有 rank 合在一起的指标：先把分子分母各自加总，最后只除一次。
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

# zh: 验证集 40 个样本：rank 0 有 30 个，对 27 个；rank 1 有 10 个，对 5 个。
# en: 40 samples to evaluate: rank 0 has 30, 27 right; rank 1 has 10, 5 right.
right, count = ((27, 30), (5, 10))[rank]

totals = torch.tensor([right, count], device=device)
dist.all_reduce(totals)
print("rank", rank, "of all samples:", round((totals[0] / totals[1]).item(), 4))
#> rank 0 of all samples: 0.8
#> rank 1 of all samples: 0.8

accuracy = torch.tensor(right / count, device=device)
dist.all_reduce(accuracy, op=dist.ReduceOp.AVG)
print("rank", rank, "average of averages:", round(accuracy.item(), 4))
#> rank 0 average of averages: 0.7
#> rank 1 average of averages: 0.7

dist.destroy_process_group()
