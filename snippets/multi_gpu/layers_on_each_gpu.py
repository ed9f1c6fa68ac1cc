"""How many layers each GPU gets, by the value of `device_map`.

`device_map` 的几种放法，各在每块 GPU 上放几层。
"""
# needs: accelerate

from collections import Counter

import torch
from accelerate import infer_auto_device_map
from accelerate.utils import get_balanced_memory
from torch import nn

MIB = 2**20
# zh: 八层，每层略多于 4 MiB；三块卡各有 30 MiB 空闲。
# en: Eight layers of a little more than 4 MiB, and 30 MiB free on each of three
#   GPUs.
with torch.device("meta"):
    model = nn.Sequential(*(nn.Linear(1024, 1024) for _ in range(8)))
free = {0: 30 * MIB, 1: 30 * MIB, 2: 30 * MIB, "cpu": 1000 * MIB}


def layers(limits):
    placed = infer_auto_device_map(model, max_memory=limits)
    return dict(Counter(placed.values()))


print("sequential:", layers(dict(free)))
#> sequential: {0: 6, 1: 2}
balanced = get_balanced_memory(model, dict(free))
print("auto, balanced:", layers(balanced))
#> auto, balanced: {0: 2, 1: 3, 2: 3}
low_zero = get_balanced_memory(model, dict(free), low_zero=True)
print("balanced_low_0:", layers(low_zero))
#> balanced_low_0: {1: 5, 2: 3}
limited = get_balanced_memory(model, {**free, 0: 12 * MIB})
print("auto, 12 MiB on GPU 0:", layers(limited))
#> auto, 12 MiB on GPU 0: {0: 1, 1: 3, 2: 4}
