"""A tensor is made on the CPU unless you say otherwise.

不指定设备，张量就建在 CPU 上。
"""

import torch

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")

on_cpu = torch.ones(2, 3)

# zh: 写上 device，张量直接建在目标设备上，不用先占内存再拷过去。
# en: With `device` it is made right there: nothing to allocate and copy first.
on_device = torch.ones(2, 3, device=device)

print(on_cpu.device)
#> cpu
print(on_device.device)
#> cpu
