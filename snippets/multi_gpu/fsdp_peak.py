"""FSDP2's peak on one of four GPUs: what one unit adds, counted on the CPU.

四块 GPU 中的一块，FSDP2 的峰值：一个单元另外占多少，在 CPU 上数。
"""

from contextlib import nullcontext

import torch
import torch.distributed as dist
from torch.distributed._tools.fsdp2_mem_tracker import FSDPMemTracker
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.fsdp import MixedPrecisionPolicy, fully_shard
from torch.testing._internal.distributed.fake_pg import FakeStore

# zh: fake 后端什么也不发送，一个进程就能当四个 rank 中的一个；结果是错的，
#   占用的内存是对的。
# en: The fake backend sends nothing, so one process can be one rank of four.
#   Its results are wrong, and the memory that it takes is right.
dist.init_process_group("fake", store=FakeStore(), rank=0, world_size=4)
mesh = init_device_mesh("cpu", (4,))


def at_the_peak(policy):
    layers = [torch.nn.Linear(256, 256, bias=False) for _ in range(8)]
    model = torch.nn.Sequential(*layers)
    unit = layers[0].weight.numel()
    for module in [*layers, model]:
        fully_shard(module, mesh=mesh, mp_policy=policy)
    optimizer = torch.optim.AdamW(model.parameters())
    tracker = FSDPMemTracker(model, optimizer)
    # zh: 只数第二步：第一步里 DTensor 先用不占内存的张量推算形状，torch 2.11
    #   的工具把它们也数了进去。
    # en: Only the second step is watched. In the first one, DTensor works out
    #   shapes with tensors without memory, and torch 2.11 counts those.
    for watching in (nullcontext(), tracker):
        with watching:
            model(torch.ones(1, 256)).sum().backward()
            optimizer.step()
            optimizer.zero_grad()
    peak = tracker.get_tracker_snapshot("peak")[torch.device("cpu")]
    return {str(k).split(".")[-1]: n / unit for k, n in peak.items()}


# zh: 梯度算出来的那一刻，工具还把它记作临时的。
# en: A gradient that has just been computed is still a temporary to the tool.
parts = {
    "its parameters": ["UNSHARDED_PARAM"],
    "the next unit's": ["ALL_GATHER"],
    "its gradients": ["UNSHARDED_GRAD", "TEMP"],
    "gradients being summed": ["REDUCE_SCATTER"],
}
mixed = at_the_peak(MixedPrecisionPolicy(torch.bfloat16, torch.float32))
for name, kinds in parts.items():
    print(f"{name}: {sum(mixed[kind] for kind in kinds):.1f}")
    #> its parameters: 2.0
    #> the next unit's: 2.0
    #> its gradients: 2.0
    #> gradients being summed: 4.0

whole = at_the_peak(MixedPrecisionPolicy())
total = sum(whole[kind] for kinds in parts.values() for kind in kinds)
print(f"all in float32: {total:.1f}")
#> all in float32: 16.0
dist.destroy_process_group()
