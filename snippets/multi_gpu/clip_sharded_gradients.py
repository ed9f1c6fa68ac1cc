"""clip_grad_norm_ on shards: the norm is that of the whole model.

对分片用 clip_grad_norm_：范数是整个模型的。
"""
# needs: torchrun:2

import os

import torch
import torch.distributed as dist
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.fsdp import fully_shard
from torch.nn.utils import clip_grad_norm_

if torch.cuda.is_available():
    device = torch.device("cuda", int(os.environ["LOCAL_RANK"]))
    torch.cuda.set_device(device)
    dist.init_process_group("cpu:gloo,cuda:nccl", device_id=device)
else:
    device = torch.device("cpu")
    dist.init_process_group("gloo")

mesh = init_device_mesh(device.type, (dist.get_world_size(),))
model = torch.nn.Linear(1, 4, bias=False)
fully_shard(model, mesh=mesh)

# zh: 四个梯度都是 3，范数是 6。
# en: Four gradients of 3 each: their norm is 6.
model(torch.full((1, 1), 3.0, device=device)).sum().backward()
norm = clip_grad_norm_(model.parameters(), 1.0)
rounded = round(norm.full_tensor().item(), 3)
print(dist.get_rank(), type(norm).__name__, rounded)
#> 0 DTensor 6.0
#> 1 DTensor 6.0
local = model.weight.grad.to_local().flatten().tolist()
print(dist.get_rank(), [round(value, 3) for value in local])
#> 0 [0.5, 0.5]
#> 1 [0.5, 0.5]

dist.destroy_process_group()
