"""DTensor: one tensor, and what each rank holds of it.

DTensor：一个张量，每个 rank 各存什么。
"""
# needs: torchrun:2

import os

import torch
import torch.distributed as dist
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.tensor import Replicate, Shard, distribute_tensor

if torch.cuda.is_available():
    device = torch.device("cuda", int(os.environ["LOCAL_RANK"]))
    torch.cuda.set_device(device)
    dist.init_process_group("cpu:gloo,cuda:nccl", device_id=device)
else:
    device = torch.device("cpu")
    dist.init_process_group("gloo")

mesh = init_device_mesh(device.type, (dist.get_world_size(),))
rank = dist.get_rank()

whole = torch.tensor([[1.0, 2.0], [3.0, 4.0]], device=device)
rows = distribute_tensor(whole, mesh, [Shard(0)])
columns = distribute_tensor(whole, mesh, [Shard(1)])
copies = rows.redistribute(mesh, [Replicate()])
print(rank, "Shard(0)", rows.to_local().tolist(), tuple(rows.shape))
#> 0 Shard(0) [[1.0, 2.0]] (2, 2)
#> 1 Shard(0) [[3.0, 4.0]] (2, 2)
print(rank, "Shard(1)", columns.to_local().tolist())
#> 0 Shard(1) [[1.0], [3.0]]
#> 1 Shard(1) [[2.0], [4.0]]
print(rank, "Replicate", copies.to_local().tolist())
#> 0 Replicate [[1.0, 2.0], [3.0, 4.0]]
#> 1 Replicate [[1.0, 2.0], [3.0, 4.0]]

total = rows.sum(0)
print(rank, type(total.placements[0]).__name__, total.to_local().tolist())
#> 0 Partial [1.0, 2.0]
#> 1 Partial [3.0, 4.0]
print(rank, "full_tensor", total.full_tensor().tolist())
#> 0 full_tensor [4.0, 6.0]
#> 1 full_tensor [4.0, 6.0]

try:
    rows + whole
except RuntimeError as error:
    print(rank, type(error).__name__, "mixed" in str(error))
    #> 0 RuntimeError True
    #> 1 RuntimeError True

dist.destroy_process_group()
