"""`TORCH_FR_BUFFER_SIZE`: how many collectives the flight recorder keeps.

`TORCH_FR_BUFFER_SIZE`：飞行记录器留下最近多少次集合通信。
"""

import json
import os

import torch
import torch.distributed as dist
from torch._C import _distributed_c10d as c10d

os.environ["TORCH_FR_BUFFER_SIZE"] = "2"

one = {"store": dist.HashStore(), "rank": 0, "world_size": 1}
dist.init_process_group("gloo", **one)
for _ in range(5):
    dist.all_reduce(torch.ones(1))

entries = json.loads(c10d._dump_fr_trace_json())["entries"]
print([entry["collective_seq_id"] for entry in entries])
#> [4, 5]
dist.destroy_process_group()
