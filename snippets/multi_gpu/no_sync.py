"""Gradient accumulation: no_sync() leaves out all but the last all-reduce.

梯度累积：no_sync() 省掉最后一次以外的 all-reduce。
"""
# needs: torchrun:2

import os
from contextlib import nullcontext

import torch
import torch.distributed as dist
from torch import nn
from torch.distributed.algorithms.ddp_comm_hooks import default_hooks
from torch.nn.parallel import DistributedDataParallel

if torch.cuda.is_available():
    device = torch.device("cuda", int(os.environ["LOCAL_RANK"]))
    torch.cuda.set_device(device)
    dist.init_process_group("cpu:gloo,cuda:nccl", device_id=device)
else:
    device = torch.device("cpu")
    dist.init_process_group("gloo")


def counted(sizes, bucket):
    sizes.append(bucket.buffer().numel())
    return default_hooks.allreduce_hook(None, bucket)


def accumulate(save):
    torch.manual_seed(0)
    model = DistributedDataParallel(nn.Linear(4, 2).to(device))
    model.register_comm_hook(sizes := [], counted)
    torch.manual_seed(dist.get_rank())
    for i in range(4):
        quiet = model.no_sync() if save and i < 3 else nullcontext()
        with quiet:
            loss = model(torch.rand(8, 4).to(device)).square().mean()
            (loss / 4).backward()
    print("elements in each all-reduce:", sizes)
    #> elements in each all-reduce: [10, 10, 10, 10]
    #> elements in each all-reduce: [10]
    #> elements in each all-reduce: [10, 10, 10, 10]
    #> elements in each all-reduce: [10]
    return model.module.weight.grad


every_time, once = accumulate(save=False), accumulate(save=True)
print("equal:", torch.allclose(every_time, once))
#> equal: True
#> equal: True

dist.destroy_process_group()
