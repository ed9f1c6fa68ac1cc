"""A pair of layers over two ranks: one all-reduce, the same gradients.

两层分到两个 rank 上：一次 all-reduce，梯度和不切分的一样。
"""
# needs: torchrun:2

import copy
import os

import torch
import torch.distributed as dist
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.tensor import parallel as tp
from torch.distributed.tensor.debug import CommDebugMode

if torch.cuda.is_available():
    device = torch.device("cuda", int(os.environ["LOCAL_RANK"]))
    torch.cuda.set_device(device)
    dist.init_process_group("cpu:gloo,cuda:nccl", device_id=device)
else:
    device = torch.device("cpu")
    dist.init_process_group("gloo")

mesh = init_device_mesh(device.type, (2,), mesh_dim_names=("tp",))
torch.manual_seed(0)
up, down = torch.nn.Linear(8, 32), torch.nn.Linear(32, 8)
alone = torch.nn.Sequential(up, torch.nn.GELU(), down).to(device)
split = copy.deepcopy(alone)
plan = {"0": tp.ColwiseParallel(), "2": tp.RowwiseParallel()}
tp.parallelize_module(split, mesh, plan)
for name, p in split.named_parameters():
    if dist.get_rank() == 0:
        print(name, tuple(p.shape), tuple(p.to_local().shape), *p.placements)
        #> 0.weight (32, 8) (16, 8) S(0)
        #> 0.bias (32,) (16,) S(0)
        #> 2.weight (8, 32) (8, 16) S(1)
        #> 2.bias (8,) (8,) R

x = torch.randn(4, 8).to(device)
with CommDebugMode() as communication:
    y = split(x)
if dist.get_rank() == 0:
    print("collectives in the forward:", communication.get_total_counts())
    #> collectives in the forward: 1
y.square().sum().backward()
z = alone(x)
z.square().sum().backward()
torch.testing.assert_close(y, z, rtol=0, atol=1e-6)
for p, q in zip(split.parameters(), alone.parameters(), strict=True):
    torch.testing.assert_close(p.grad.full_tensor(), q.grad, rtol=0, atol=1e-5)

dist.destroy_process_group()
