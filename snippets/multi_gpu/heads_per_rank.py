"""With tensor parallel a rank has its part of the heads.

张量并行之后，每个 rank 只有一部分注意力头。
"""
# needs: torchrun:2

import os

import torch
import torch.distributed as dist
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.tensor import parallel as tp

if torch.cuda.is_available():
    device = torch.device("cuda", int(os.environ["LOCAL_RANK"]))
    torch.cuda.set_device(device)
    dist.init_process_group("cpu:gloo,cuda:nccl", device_id=device)
else:
    device = torch.device("cpu")
    dist.init_process_group("gloo")

mesh = init_device_mesh(device.type, (2,), mesh_dim_names=("tp",))


class Queries(torch.nn.Module):
    def __init__(self, heads):
        super().__init__()
        self.heads = heads
        self.project = torch.nn.Linear(8, 8)

    def forward(self, x):
        return self.project(x).view(len(x), self.heads, 2)


for heads in (4, 4 // mesh["tp"].size()):
    queries = Queries(heads).to(device)
    tp.parallelize_module(queries, mesh, {"project": tp.ColwiseParallel()})
    try:
        shape = tuple(queries(torch.ones(3, 8, device=device)).shape)
    except RuntimeError as error:
        shape = type(error).__name__
    print(f"rank {dist.get_rank()}, view({heads} heads): {shape}")
    #> rank 0, view(4 heads): RuntimeError
    #> rank 0, view(2 heads): (3, 2, 2)
    #> rank 1, view(4 heads): RuntimeError
    #> rank 1, view(2 heads): (3, 2, 2)

dist.destroy_process_group()
