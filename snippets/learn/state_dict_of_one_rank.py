"""What the state_dict of a sharded layer has on rank 0 alone.

切分之后，只看 rank 0，它的 state_dict 里有什么。
"""
# needs: torchrun:2

import os

import torch
import torch.distributed as dist
import torch.distributed.checkpoint.state_dict as sd
from torch import nn
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.fsdp import fully_shard

if torch.cuda.is_available():
    device = torch.device("cuda", int(os.environ["LOCAL_RANK"]))
    torch.cuda.set_device(device)
    dist.init_process_group("cpu:gloo,cuda:nccl", device_id=device)
else:
    device = torch.device("cpu")
    dist.init_process_group("gloo")
rank, ranks = dist.get_rank(), dist.get_world_size()

layer = nn.Linear(2, 6, bias=False).to(device)
fully_shard(layer, mesh=init_device_mesh(device.type, (ranks,)))

own = layer.state_dict()["weight"].to_local()
options = sd.StateDictOptions(full_state_dict=True, cpu_offload=True)
gathered = sd.get_model_state_dict(layer, options=options)
if rank == 0:
    print("in its own state_dict:", tuple(own.shape))
    #> in its own state_dict: (3, 2)
    print("gathered:", tuple(gathered["weight"].shape))
    #> gathered: (6, 2)

dist.destroy_process_group()
