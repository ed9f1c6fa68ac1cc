"""An optimizer built before fully_shard trains nothing, and says nothing.

先建优化器再 fully_shard：什么也没训练，也不报错。
"""

import torch
import torch.distributed as dist
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.fsdp import fully_shard

store = dist.HashStore()
dist.init_process_group("gloo", store=store, rank=0, world_size=1)
mesh = init_device_mesh("cpu", (1,))

for when in ("before", "after"):
    layer = torch.nn.Linear(4, 2)
    if when == "before":
        optimizer = torch.optim.SGD(layer.parameters(), lr=0.1)
    fully_shard(layer, mesh=mesh)
    if when == "after":
        optimizer = torch.optim.SGD(layer.parameters(), lr=0.1)

    old = layer.weight.full_tensor().clone()
    layer(torch.ones(1, 4)).sum().backward()
    optimizer.step()
    moved = not torch.equal(old, layer.weight.full_tensor())
    held = optimizer.param_groups[0]["params"][0]
    print(f"{when}: holds a {type(held).__name__}, weights moved: {moved}")
    #> before: holds a Parameter, weights moved: False
    #> after: holds a DTensor, weights moved: True

dist.destroy_process_group()
