"""A distributed checkpoint of two ranks, loaded by one plain process.

两个 rank 存的分布式检查点，由一个普通进程加载。
"""
# needs: torchrun:2

import os
import shutil
import tempfile
from datetime import timedelta

import torch
import torch.distributed as dist
import torch.distributed.checkpoint as dcp
from torch.distributed.checkpoint.state_dict import get_model_state_dict
from torch.distributed.fsdp import fully_shard

local_rank = int(os.environ["LOCAL_RANK"])
on_gpus = torch.cuda.device_count() >= int(os.environ["LOCAL_WORLD_SIZE"])
if on_gpus:
    torch.cuda.set_device(local_rank)
backend = "nccl" if on_gpus else "gloo"
dist.init_process_group(backend, timeout=timedelta(seconds=30))
rank = dist.get_rank()
folder = [tempfile.mkdtemp() if rank == 0 else None]
dist.broadcast_object_list(folder)

model = torch.nn.Linear(1, 4, bias=False)
with torch.no_grad():
    model.weight.copy_(torch.arange(4.0)[:, None])
fully_shard(model.to("cuda" if on_gpus else "cpu"))
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
