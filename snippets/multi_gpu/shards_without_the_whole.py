"""A model that no GPU ever holds whole: meta, shard, then load.

哪块 GPU 都没装过整个模型：建在 meta 上，切分，再加载。
"""
# needs: torchrun:2

import os

import torch
import torch.distributed as dist
from torch.distributed.checkpoint import state_dict as dcp
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.fsdp import fully_shard

if torch.cuda.is_available():
    device = torch.device("cuda", int(os.environ["LOCAL_RANK"]))
    torch.cuda.set_device(device)
    dist.init_process_group("cpu:gloo,cuda:nccl", device_id=device)
else:
    device = torch.device("cpu")
    dist.init_process_group("gloo")

mesh = init_device_mesh(device.type, (dist.get_world_size(),))


def build():
    return torch.nn.Sequential(torch.nn.Linear(8, 6), torch.nn.Linear(6, 4))


with torch.device("meta"):
    model = build()
for unit in [*model, model]:
    fully_shard(unit, mesh=mesh)
print(model[0].weight.device, sum(p.nbytes for p in model.parameters()))
#> meta 328
#> meta 328

# zh: 完整的权重只在 rank 0 的内存里。
# en: The whole weights are in the host memory of rank 0 alone.
whole = build() if dist.get_rank() == 0 else None
values = whole.state_dict() if whole else {}
options = dcp.StateDictOptions(full_state_dict=True, broadcast_from_rank0=True)
dcp.set_model_state_dict(model, values, options=options)

local = [p.to_local() for p in model.parameters()]
print(local[0].device == device, sum(p.nbytes for p in local))
#> True 164
#> True 164
full = model[0].weight.full_tensor().cpu()
if whole:
    print(torch.equal(full, whole[0].weight))
    #> True

dist.destroy_process_group()
