"""A loss over the outputs of all ranks: what becomes of the gradient

用所有 rank 的输出算损失：梯度会怎么样。
"""
# needs: torchrun:2

import os

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
rank, ranks = dist.get_rank(), dist.get_world_size()

samples = torch.tensor([[1.0], [2.0], [3.0], [4.0]], device=device)
share = samples.chunk(ranks)[rank]


def loss_of_pairs(outputs):
    return (outputs @ outputs.T).mean()


# zh: 一个进程，四个样本都在：这是应该得到的梯度。
# en: One process with all four samples: this is the gradient it should be.
alone = nn.Linear(1, 1, bias=False, device=device)
nn.init.ones_(alone.weight)
loss_of_pairs(alone(samples)).backward()

layer = nn.Linear(1, 1, bias=False, device=device)
nn.init.ones_(layer.weight)
model = DistributedDataParallel(layer)
output = model(share)
parts = [torch.empty_like(output) for _ in range(ranks)]
dist.all_gather(parts, output.detach())
without = torch.cat(parts).requires_grad

# zh: 换回自己那一份，它还连着计算图。
# en: Put back this rank's own part, which still belongs to the graph.
parts[rank] = output
loss_of_pairs(torch.cat(parts)).backward()

if rank == 0:
    print("gathered outputs require a gradient:", without)
    #> gathered outputs require a gradient: False
    print("one process:", alone.weight.grad.item())
    #> one process: 12.5
    print("own part put back:", layer.weight.grad.item())
    #> own part put back: 6.25
    print("times the ranks:", layer.weight.grad.item() * ranks)
    #> times the ranks: 12.5

dist.destroy_process_group()
