"""`torch.set_default_device` does the same until it is taken back.

`torch.set_default_device` 效果相同，一直到取消为止。
"""
# needs: cuda

import torch

print(torch.get_default_device())
#> cpu

torch.set_default_device("cuda")
print(torch.get_default_device())
#> cuda:0
print(torch.ones(2).device)
#> cuda:0

torch.set_default_device(None)
print(torch.ones(2).device)
#> cpu
