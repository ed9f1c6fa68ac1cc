"""From FSDP2 to one ordinary file: all ranks gather, rank 0 saves.

从 FSDP2 得到一个普通文件：所有 rank 一起收集，rank 0 保存。
"""
# needs: torchrun:2

import io
import os

import torch
import torch.distributed as dist
import torch.distributed.checkpoint.state_dict as sd
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.fsdp import fully_shard

if torch.cuda.is_available():
    device = torch.device("cuda", int(os.environ["LOCAL_RANK"]))
    torch.cuda.set_device(device)
    dist.init_process_group("cpu:gloo,cuda:nccl", device_id=device)
else:
    device = torch.device("cpu")
    dist.init_process_group("gloo")
rank = dist.get_rank()
mesh = init_device_mesh(device.type, (dist.get_world_size(),))

model = torch.nn.Linear(1, 4, bias=False)
with torch.no_grad():
    model.weight.copy_(torch.arange(4.0)[:, None])
fully_shard(model.to(device), mesh=mesh)
weight = model.state_dict()["weight"]
print("rank", rank, type(weight).__name__, tuple(weight.to_local().shape))
#> rank 0 DTensor (2, 1)
#> rank 1 DTensor (2, 1)

# zh: 里面有集合通信：每个 rank 都要调用。
# en: There are collectives inside: every rank calls it.
options = sd.StateDictOptions(full_state_dict=True, cpu_offload=True)
full = sd.get_model_state_dict(model, options=options)
print("rank", rank, {name: tuple(x.shape) for name, x in full.items()})
#> rank 0 {'weight': (4, 1)}
#> rank 1 {}

if rank == 0:
    file = io.BytesIO()
    torch.save(full, file)
    file.seek(0)
    plain = torch.nn.Linear(1, 4, bias=False)
    plain.load_state_dict(torch.load(file))
    print("one process:", plain.weight.flatten().tolist())
    #> one process: [0.0, 1.0, 2.0, 3.0]

dist.destroy_process_group()
