"""`torch.cuda.device_of(x)` makes the GPU of x current; a CPU tensor does not.

`torch.cuda.device_of(x)` 把 x 所在的 GPU 设为当前设备，x 在 CPU 上就不改。
"""
# needs: cuda:2

import torch


def scratch(x):
    with torch.cuda.device_of(x):
        return torch.zeros(len(x), device="cuda")


print(scratch(torch.ones(2, device="cuda:1")))
#> tensor([0., 0.], device='cuda:1')

torch.cuda.set_device(1)
print(scratch(torch.ones(3, device="cuda:0")))
#> tensor([0., 0., 0.], device='cuda:0')
print(scratch(torch.ones(4)))
#> tensor([0., 0., 0., 0.], device='cuda:1')
