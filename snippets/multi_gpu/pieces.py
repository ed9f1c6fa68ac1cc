"""Pieces: all-gather collects, reduce-scatter sums, all-to-all exchanges.

分成几份：all-gather 收齐，reduce-scatter 求和再分，all-to-all 互换。
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

whole = torch.tensor([1.0, 2.0, 3.0, 4.0], device=device)
whole *= dist.get_rank() + 1

summed = torch.empty(2, device=device)
dist.reduce_scatter(summed, list(whole.chunk(2)))
print("reduce-scatter:", summed.tolist())
#> reduce-scatter: [3.0, 6.0]
#> reduce-scatter: [9.0, 12.0]

collected = [torch.empty(2, device=device) for _ in range(2)]
dist.all_gather(collected, summed)
print("all-gather:", torch.cat(collected).tolist())
#> all-gather: [3.0, 6.0, 9.0, 12.0]
#> all-gather: [3.0, 6.0, 9.0, 12.0]

exchanged = torch.empty(4, device=device)
dist.all_to_all_single(exchanged, whole)
print("all-to-all:", exchanged.tolist())
#> all-to-all: [1.0, 2.0, 2.0, 4.0]
#> all-to-all: [3.0, 4.0, 6.0, 8.0]

# zh: 前两步合起来就是 all-reduce。
# en: The first two together are an all-reduce.
dist.all_reduce(whole)
print("the same as all-reduce:", torch.equal(torch.cat(collected), whole))
#> the same as all-reduce: True
#> the same as all-reduce: True

dist.destroy_process_group()
