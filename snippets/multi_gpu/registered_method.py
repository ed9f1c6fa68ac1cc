"""FSDP2: a method other than forward, before and after it is registered

FSDP2：调用 forward 以外的方法，登记之前和之后。
"""
# needs: torchrun:2

import os

import torch
import torch.distributed as dist
from torch import nn
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.fsdp import fully_shard, register_fsdp_forward_method

if torch.cuda.is_available():
    device = torch.device("cuda", int(os.environ["LOCAL_RANK"]))
    torch.cuda.set_device(device)
    dist.init_process_group("cpu:gloo,cuda:nccl", device_id=device)
else:
    device = torch.device("cpu")
    dist.init_process_group("gloo")
rank = dist.get_rank()


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.embed = nn.Linear(3, 4)
        self.head = nn.Linear(4, 1)

    def encode(self, x):
        return self.embed(x)

    def forward(self, x):
        return self.head(self.encode(x))


model = Model().to(device)
mesh = init_device_mesh(device.type, (dist.get_world_size(),))
fully_shard(model, mesh=mesh)
x = torch.ones(2, 3, device=device)

try:
    model.encode(x)
except RuntimeError as error:
    print("rank", rank, "mixed" if "got mixed" in str(error) else error)
    #> rank 0 mixed
    #> rank 1 mixed

register_fsdp_forward_method(model, "encode")
print("rank", rank, "encode:", tuple(model.encode(x).shape))
#> rank 0 encode: (2, 4)
#> rank 1 encode: (2, 4)
print("rank", rank, "forward:", tuple(model(x).shape))
#> rank 0 forward: (2, 1)
#> rank 1 forward: (2, 1)

dist.destroy_process_group()
