"""Blocks, then the root: what is whole at once, and which gradients meet.

先切每个块，再切整个模型：同时有多少参数完整，哪些梯度会汇总。
"""
# needs: torchrun:2

import os

import torch
import torch.distributed as dist
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

mesh = init_device_mesh(device.type, (dist.get_world_size(),))


def count_whole(*_):
    whole = [p for p in model.parameters() if not isinstance(p, DTensor)]
    seen.append(sum(p.numel() for p in whole))


for plan in ("root", "blocks", "blocks and root"):
    model = torch.nn.Sequential(*[torch.nn.Linear(4, 4) for _ in range(4)])
    model.to(device)
    seen = []
    for layer in model:
        layer.register_forward_hook(count_whole)
    for block in model[:3] if "blocks" in plan else []:
        fully_shard(block, mesh=mesh)
    if "root" in plan:
        fully_shard(model, mesh=mesh)

    x = torch.ones(1, 4, device=device)
    (model(x).sum() * dist.get_rank()).backward()
    grad = model[3].bias.grad
    grad = grad.full_tensor() if isinstance(grad, DTensor) else grad
    print(f"{plan}: {seen}, gradient {grad[0].item()}")
    #> root: [80, 80, 80, 80], gradient 0.5
    #> blocks: [40, 60, 80, 80], gradient 0.0
    #> blocks and root: [40, 40, 40, 20], gradient 0.5
    #> root: [80, 80, 80, 80], gradient 0.5
    #> blocks: [40, 60, 80, 80], gradient 1.0
    #> blocks and root: [40, 40, 40, 20], gradient 0.5

dist.destroy_process_group()
