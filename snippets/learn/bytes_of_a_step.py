"""What a step of DDP exchanges: counted, for two sizes of the batch.

DDP 的一步交换多少字节：batch 大小不同，各数一次。
"""
# needs: torchrun:2

import os

import torch
import torch.distributed as dist
from torch import nn
from torch.distributed.algorithms.ddp_comm_hooks.default_hooks import (
    allreduce_hook,
)
from torch.nn.parallel import DistributedDataParallel

if torch.cuda.is_available():
    device = torch.device("cuda", int(os.environ["LOCAL_RANK"]))
    torch.cuda.set_device(device)
    dist.init_process_group("cpu:gloo,cuda:nccl", device_id=device)
else:
    device = torch.device("cpu")
    dist.init_process_group("gloo")
rank = dist.get_rank()


def count(group, bucket):
    sent.append(bucket.buffer().nbytes)
    return allreduce_hook(group, bucket)


hidden = nn.Linear(2, 64), nn.ReLU(), nn.Linear(64, 64), nn.ReLU()
net = nn.Sequential(*hidden, nn.Linear(64, 3)).to(device)
model = DistributedDataParallel(net)
model.register_comm_hook(dist.group.WORLD, count)

parameters = sum(p.numel() for p in net.parameters())
for batch in (50, 500):
    sent = []
    model(torch.ones(batch, 2, device=device)).sum().backward()
    assert sum(sent) == 4 * parameters
    if rank == 0:
        print(f"batch {batch:3}: bytes {sum(sent)}, messages {len(sent)}")
        #> batch  50: bytes 18188, messages 1
        #> batch 500: bytes 18188, messages 1

dist.destroy_process_group()
