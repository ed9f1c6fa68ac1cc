"""How many layers are whole, each time that one of them computes.

每算一层时，有几层是完整的。
"""
# needs: torchrun:2

import os

import torch
import torch.distributed as dist
from torch import nn
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.fsdp import fully_shard
from torch.distributed.tensor import DTensor

if torch.cuda.is_available():
    device = torch.device("cuda", int(os.environ["LOCAL_RANK"]))
    torch.cuda.set_device(device)
    dist.init_process_group("cpu:gloo,cuda:nccl", device_id=device)
else:
    device = torch.device("cpu")
    dist.init_process_group("gloo")
rank, ranks = dist.get_rank(), dist.get_world_size()


def count(*_):
    whole = [x for x in net if not isinstance(x.weight, DTensor)]
    seen.append(len(whole))


mesh = init_device_mesh(device.type, (ranks,))
for way in ("layers, then model", "model only"):
    net = nn.Sequential(*[nn.Linear(4, 4) for _ in range(5)]).to(device)
    # zh: 一层算出结果的时候，数一数。
    # en: Count whenever a layer has computed its result.
    for layer in net:
        layer.register_forward_hook(count)
    for layer in net if way == "layers, then model" else []:
        fully_shard(layer, mesh=mesh)
    fully_shard(net, mesh=mesh)
    seen = []
    net(torch.ones(1, 4, device=device))
    if rank == 0:
        print(f"{way}: {seen}")
        #> layers, then model: [1, 1, 1, 1, 1]
        #> model only: [5, 5, 5, 5, 5]

dist.destroy_process_group()
