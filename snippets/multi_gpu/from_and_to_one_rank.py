"""Broadcast and scatter send from one rank, gather brings to one rank.

广播和 scatter 从一个 rank 发出，gather 收到一个 rank 上。
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

x = torch.tensor([10.0, 11.0], device=device) + 10 * rank
dist.broadcast(x, src=1)
print("rank", rank, "broadcast from 1:", x.tolist())
#> rank 0 broadcast from 1: [20.0, 21.0]
#> rank 1 broadcast from 1: [20.0, 21.0]

# zh: 只有发出的 rank 要给出各份，只有收的 rank 要准备地方。
# en: Only the sender gives the parts, only the receiver makes room.
part = torch.empty(1, device=device)
parts = list(torch.tensor([[5.0], [6.0]], device=device))
dist.scatter(part, parts if rank == 0 else None, src=0)
print("rank", rank, "scatter from 0:", part.tolist())
#> rank 0 scatter from 0: [5.0]
#> rank 1 scatter from 0: [6.0]

room = [torch.empty(1, device=device) for _ in range(2)]
dist.gather(part * 10, room if rank == 1 else None, dst=1)
got = [t.tolist() for t in room] if rank == 1 else None
print("rank", rank, "gather to 1:", got)
#> rank 0 gather to 1: None
#> rank 1 gather to 1: [[50.0], [60.0]]

dist.destroy_process_group()
