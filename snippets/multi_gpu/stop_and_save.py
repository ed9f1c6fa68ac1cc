"""A file asks all ranks to stop: they save at the same step, and end.

用一个文件通知所有 rank 停下：它们在同一步保存，然后结束。
"""
# needs: torchrun:2
# leaves: files

import os
from pathlib import Path

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel

if torch.cuda.is_available():
    device = torch.device("cuda", int(os.environ["LOCAL_RANK"]))
    torch.cuda.set_device(device)
    dist.init_process_group("cpu:gloo,cuda:nccl", device_id=device)
else:
    device = torch.device("cpu")
    dist.init_process_group("gloo")
rank = dist.get_rank()

wanted = Path(os.environ.get("STOP_FILE", "stop"))


def asked_to_stop():
    # zh: 只由 rank 0 去看，再告诉大家，这样所有 rank 的结论一定相同。
    # en: Only rank 0 looks, and tells the others, so that all of them agree.
    flag = torch.tensor(rank == 0 and wanted.exists(), device=device).int()
    dist.broadcast(flag, src=0)
    return bool(flag)


def train(steps):
    net = nn.Linear(4, 1).to(device)
    model = DistributedDataParallel(net)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for step in range(1, steps + 1):
        model(torch.rand(8, 4, device=device)).square().mean().backward()
        optimizer.step()
        optimizer.zero_grad()
        # zh: 这里代替调度系统，在第 3 步时要求停下。
        # en: This plays the scheduler, which asks for a stop in step 3.
        if rank == 0 and step == 3:
            wanted.touch()
        if asked_to_stop():
            if rank == 0:
                torch.save(net.state_dict(), "checkpoint.pt")
            print(f"rank {rank} stopped after step {step} of {steps}")
            #> rank 0 stopped after step 3 of 100
            #> rank 1 stopped after step 3 of 100
            return


train(100)

dist.destroy_process_group()
