"""reshard_after_forward: free the whole parameters, or gather once.

reshard_after_forward：放掉完整的参数，还是少收集一次。
"""
# needs: torchrun:2

import os

import torch
import torch.distributed as dist
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.fsdp import fully_shard
from torch.distributed.tensor import DTensor
from torch.distributed.tensor.debug import CommDebugMode

if torch.cuda.is_available():
    device = torch.device("cuda", int(os.environ["LOCAL_RANK"]))
    torch.cuda.set_device(device)
    dist.init_process_group("cpu:gloo,cuda:nccl", device_id=device)
else:
    device = torch.device("cpu")
    dist.init_process_group("gloo")

mesh = init_device_mesh(device.type, (dist.get_world_size(),))

for reshard in (True, False):
    model = torch.nn.Sequential(*[torch.nn.Linear(4, 4) for _ in range(4)])
    for unit in [*model, model]:
        fully_shard(unit, mesh=mesh, reshard_after_forward=reshard)

    x = torch.ones(1, 4, device=device)
    with CommDebugMode() as forward:
        loss = model(x).sum()
    whole = [p for p in model.parameters() if not isinstance(p, DTensor)]
    with CommDebugMode() as backward:
        loss.backward()
    if dist.get_rank() == 0:
        print(f"{reshard}: {len(whole)} parameters whole after the forward")
        #> True: 0 parameters whole after the forward
        #> False: 8 parameters whole after the forward
        print(forward.get_total_counts(), backward.get_total_counts())
        #> 4 8
        #> 4 4

dist.destroy_process_group()
