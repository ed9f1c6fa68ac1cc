"""One rank skips a collective: the other waits until the timeout.

一个 rank 少做一次集合通信：另一个一直等，直到超时。
"""
# needs: torchrun:2

import os
import time
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

# zh: 一个超时很短的 gloo 组：超时就会报错。
# en: A gloo group with a short timeout: after it, an error is raised.
group = dist.new_group(backend="gloo", timeout=timedelta(seconds=1))
x = torch.ones(2)
dist.all_reduce(x, group=group)
print("rank", rank, "after the first:", x.tolist())
#> rank 0 after the first: [2.0, 2.0]
#> rank 1 after the first: [2.0, 2.0]

# zh: 第二次只有 rank 0 做，rank 1 已经在下面的屏障那里等。
# en: The second one is rank 0's alone; rank 1 waits at the barrier below.
start = time.monotonic()
if rank == 0:
    try:
        dist.all_reduce(x, group=group)
    except RuntimeError as error:
        print("rank", rank, type(error).__name__)
        #> rank 0 RuntimeError
        print(str(error).split("] ")[-1].split(" for ")[0])
        #> Timed out waiting 1000ms

dist.barrier()
print("rank", rank, "waited:", time.monotonic() - start > 0.5)
#> rank 0 waited: True
#> rank 1 waited: True
dist.destroy_process_group()
