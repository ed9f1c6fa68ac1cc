"""A checkpoint of one process, loaded by two ranks: each reads its part.

一个进程存的检查点，由两个 rank 加载：各读各的那份。
"""
# needs: torchrun:2

import os
import shutil
import tempfile

import torch
import torch.distributed as dist
import torch.distributed.checkpoint as dcp
from torch.distributed.checkpoint.state_dict import get_model_state_dict
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
folder = [None]
if rank == 0:
    folder = [tempfile.mkdtemp()]
    plain = {"weight": torch.arange(4.0)[:, None]}
    dcp.save(plain, checkpoint_id=folder[0], no_dist=True)
dist.broadcast_object_list(folder)

model = torch.nn.Linear(1, 4, bias=False, device=device)
fully_shard(model, mesh=mesh)
# zh: 里面的张量就是模型的：装进去，模型就变了。
# en: Its tensors are the model's own: filling them changes the model.
dcp.load(get_model_state_dict(model), checkpoint_id=folder[0])
print("rank", rank, "has", model.weight.to_local().flatten().tolist())
#> rank 0 has [0.0, 1.0]
#> rank 1 has [2.0, 3.0]

if rank == 0:
    shutil.rmtree(folder[0])
dist.destroy_process_group()
