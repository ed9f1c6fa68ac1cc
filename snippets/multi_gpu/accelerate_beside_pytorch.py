"""The same training with Accelerate and in plain PyTorch.

同样的训练，用 Accelerate 写一遍，再用纯 PyTorch 写一遍。
"""
# needs: torchrun:2, accelerate

from contextlib import nullcontext

import torch
import torch.distributed as dist
from accelerate import Accelerator
from torch import nn
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader, TensorDataset

# zh: 选好设备，并建立进程组。没有 GPU 时，不写 cpu=True 就不会分布式训练。
# en: Chooses the device and creates the process group. Without a GPU, it
#     trains on several processes only with cpu=True.
accelerator = Accelerator(
    cpu=not torch.cuda.is_available(), gradient_accumulation_steps=2
)
device, rank = accelerator.device, accelerator.process_index


def beginning():
    torch.manual_seed(0)
    data = TensorDataset(torch.randn(32, 4), torch.randn(32, 1))
    net = nn.Linear(4, 1)
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    return net, optimizer, DataLoader(data, batch_size=4)


def with_accelerate():
    # zh: 移到设备，套上 DDP，把数据分给各个进程。
    # en: Moves to the device, wraps in DDP, divides the data.
    model, optimizer, loader = accelerator.prepare(*beginning())
    for inputs, targets in loader:
        with accelerator.accumulate(model):
            loss = nn.functional.mse_loss(model(inputs), targets)
            # zh: 先除以累积次数，再反向传播。
            # en: Divides by the accumulation steps, then goes backward.
            accelerator.backward(loss)
            optimizer.step()
            optimizer.zero_grad()
    return accelerator.unwrap_model(model), len(loader)


def in_plain_pytorch():
    net, optimizer, loader = beginning()
    net.to(device)
    model = DistributedDataParallel(net)
    mine = list(loader)[rank :: dist.get_world_size()]
    for number, (inputs, targets) in enumerate(mine, start=1):
        inputs, targets = inputs.to(device), targets.to(device)
        last = number % 2 == 0
        with nullcontext() if last else model.no_sync():
            loss = nn.functional.mse_loss(model(inputs), targets)
            (loss / 2).backward()
        if last:
            optimizer.step()
            optimizer.zero_grad()
    return net, len(mine)


theirs, batches = with_accelerate()
ours, as_many = in_plain_pytorch()
if rank == 0:
    print(f"batches for each process: {batches} and {as_many}")
    #> batches for each process: 4 and 4
    print("Accelerate   ", [round(w, 5) for w in theirs.weight[0].tolist()])
    #> Accelerate    [-0.08359, -0.08502, -0.28146, -0.18268]
    print("plain PyTorch", [round(w, 5) for w in ours.weight[0].tolist()])
    #> plain PyTorch [-0.08359, -0.08502, -0.28146, -0.18268]
    same = torch.equal(theirs.weight, ours.weight)
    print("equal to the last bit:", same)
    #> equal to the last bit: True

accelerator.end_training()
