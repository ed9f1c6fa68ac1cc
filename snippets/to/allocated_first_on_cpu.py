"""`rand(...).to(device)` first takes memory on the CPU; `device=` does not.

`rand(...).to(device)` 先占一份内存，写 `device=` 则不占。
"""

import torch
from torch.profiler import ProfilerActivity, profile


def cpu_bytes(make):
    with profile(activities=[ProfilerActivity.CPU], profile_memory=True) as p:
        make()
    return max(event.cpu_memory_usage for event in p.key_averages())


# zh: meta 设备没有数据，所以这里占的内存都来自 CPU。
# en: The meta device holds no data: all memory seen here is the CPU's.
print(cpu_bytes(lambda: torch.rand(500, 100).to("meta")))
#> 200000
print(cpu_bytes(lambda: torch.rand(500, 100, device="meta")))
#> 0
