"""All-reduce of a large tensor: how many bytes a second each rank sends.

对一个大张量做 all-reduce：每个 rank 每秒发送多少字节。
"""
# needs: torchrun:2
# measures: yes

import os
import time

import torch
import torch.distributed as dist

if torch.cuda.is_available():
    device = torch.device("cuda", int(os.environ["LOCAL_RANK"]))
    torch.cuda.set_device(device)
    dist.init_process_group("cpu:gloo,cuda:nccl", device_id=device)
else:
    device = torch.device("cpu")
    dist.init_process_group("gloo")
ranks = dist.get_world_size()

x = torch.ones(2**25, device=device)
times = []
for _ in range(10):
    dist.barrier()
    start = time.perf_counter()
    dist.all_reduce(x)
    # zh: item() 会等 GPU 算完，all_reduce 自己不等。
    # en: item() waits for the GPU, which all_reduce does not.
    assert x[0].item() == ranks
    times.append(time.perf_counter() - start)
    x.fill_(1)

# zh: 取最快的一次。环形算法里，每个 rank 发送的数据量如下。
# en: The fastest one counts. In a ring, every rank sends as much as this.
sent = 2 * (ranks - 1) / ranks * x.nbytes
if dist.get_rank() == 0:
    print(f"{x.nbytes / 2**20:.0f} MiB, {ranks} ranks")
    print(f"bus bandwidth {sent / min(times) / 1e9:.1f} GB/s")

dist.destroy_process_group()
