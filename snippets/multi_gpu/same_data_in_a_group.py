"""A tensor parallel group with different data: a wrong answer, no error.

张量并行的一组里数据不同：结果错了，也不报错。
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
up, down = torch.nn.Linear(1, 2, bias=False), torch.nn.Linear(2, 1, bias=False)
model = torch.nn.Sequential(up, down).to(device)
for p in model.parameters():
    torch.nn.init.ones_(p)
plan = {"0": tp.ColwiseParallel(), "1": tp.RowwiseParallel()}
tp.parallelize_module(model, mesh, plan)

# zh: 权重都是 1，两个隐藏单元：y 应该是 x 的两倍。
# en: All weights are 1 and there are two hidden units: y should be 2 x.
for rows in ([10.0, 10.0], [10.0, 20.0]):
    x = torch.tensor([[rows[dist.get_rank()]]], device=device)
    print(f"rank {dist.get_rank()}: x {x.item()}, y {model(x).item()}")
    #> rank 0: x 10.0, y 20.0
    #> rank 0: x 10.0, y 30.0
    #> rank 1: x 10.0, y 20.0
    #> rank 1: x 20.0, y 30.0

dist.destroy_process_group()
