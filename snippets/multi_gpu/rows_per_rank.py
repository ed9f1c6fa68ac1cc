"""Five rows on four ranks: FSDP2 divides them as `torch.chunk` does.

五行分给四个 rank：FSDP2 和 `torch.chunk` 的分法一样。
"""

import torch
import torch.distributed as dist
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.fsdp import fully_shard
from torch.testing._internal.distributed.fake_pg import FakeStore

# zh: fake 后端什么也不发送，一个进程就能依次当四个 rank。
# en: The fake backend sends nothing, so one process can be each rank in turn.
rows = []
for rank in range(4):
    dist.init_process_group("fake", store=FakeStore(), rank=rank, world_size=4)
    layer = torch.nn.Linear(2, 5)
    fully_shard(layer, mesh=init_device_mesh("cpu", (4,)))
    rows.append(len(layer.weight.to_local()))
    dist.destroy_process_group()

print("rows of each rank:", rows)
#> rows of each rank: [2, 2, 1, 0]
print("chunk:", [len(chunk) for chunk in torch.ones(5, 2).chunk(4)])
#> chunk: [2, 2, 1]
