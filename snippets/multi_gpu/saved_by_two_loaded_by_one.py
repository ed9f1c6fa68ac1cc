"""A distributed checkpoint of two ranks, loaded by one plain process.

两个 rank 存的分布式检查点，由一个普通进程加载。
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
folder = [tempfile.mkdtemp() if rank == 0 else None]
dist.broadcast_object_list(folder)

model = torch.nn.Linear(1, 4, bias=False)
with torch.no_grad():
    model.weight.copy_(torch.arange(4.0)[:, None])
fully_shard(model.to(device), mesh=mesh)
print("rank", rank, "saves", model.weight.to_local().flatten().tolist())
#> rank 0 saves [0.0, 1.0]
#> rank 1 saves [2.0, 3.0]
dcp.save(get_model_state_dict(model), checkpoint_id=folder[0])
dist.destroy_process_group()

# zh: 从这里起没有进程组了。dcp.load 装进给它的张量里。
# en: No process group from here. dcp.load fills the tensors it is given.
if rank == 0:
    print(sorted(os.listdir(folder[0])))
    #> ['.metadata', '__0_0.distcp', '__1_0.distcp']
    plain = torch.nn.Linear(1, 4, bias=False)
    state = plain.state_dict()
    dcp.load(state, checkpoint_id=folder[0], no_dist=True)
    print("loaded", plain.weight.flatten().tolist())
    #> loaded [0.0, 1.0, 2.0, 3.0]
    shutil.rmtree(folder[0])
