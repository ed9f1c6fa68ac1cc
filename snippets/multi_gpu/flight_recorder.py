"""The flight recorder: which collectives has each rank begun?

飞行记录器：每个 rank 各开始了哪些集合通信？
"""
# needs: torchrun:2

import json
import os

import torch
import torch.distributed as dist
from torch._C import _distributed_c10d as c10d

if torch.cuda.is_available():
    device = torch.device("cuda", int(os.environ["LOCAL_RANK"]))
    torch.cuda.set_device(device)
    dist.init_process_group("cpu:gloo,cuda:nccl", device_id=device)
else:
    device = torch.device("cpu")
    dist.init_process_group("gloo")
rank = dist.get_rank()

group = dist.new_group(backend="gloo")
x = torch.ones(2)
dist.all_reduce(x, group=group)
if rank == 0:
    late = dist.all_reduce(x, group=group, async_op=True)

# zh: rank 1 还没有到。每条记录有编号、操作和形状。
# en: Rank 1 is not there yet. A record has number, operation and shapes.
for entry in json.loads(c10d._dump_fr_trace_json())["entries"]:
    number, name = entry["collective_seq_id"], entry["profiling_name"]
    print("rank", rank, number, name, entry["input_sizes"])
    #> rank 0 1 gloo:all_reduce [[2]]
    #> rank 0 2 gloo:all_reduce [[2]]
    #> rank 1 1 gloo:all_reduce [[2]]

if rank == 1:
    late = dist.all_reduce(x, group=group, async_op=True)
late.wait()
print("rank", rank, "after both:", x.tolist())
#> rank 0 after both: [4.0, 4.0]
#> rank 1 after both: [4.0, 4.0]
dist.destroy_process_group()
