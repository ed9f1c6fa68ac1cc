"""The same seed repeats a run on one device.

种子相同，在同一种设备上结果就能重现。
"""

import random

import numpy as np
import torch

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


def seed(number):
    random.seed(number)
    np.random.seed(number)
    # zh: 所有设备的 PyTorch 随机数，一次设好。
    # en: PyTorch's random numbers, of every device at once.
    torch.manual_seed(number)


def draw(number):
    seed(number)
    on_device = torch.rand(1, device=device).item()
    return random.random(), np.random.rand(), torch.rand(1).item(), on_device


one, again, other = draw(1), draw(1), draw(2)
print([a == b for a, b in zip(one, again, strict=True)])
#> [True, True, True, True]
print([a == b for a, b in zip(one, other, strict=True)])
#> [False, False, False, False]
