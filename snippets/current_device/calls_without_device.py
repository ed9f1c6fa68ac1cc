"""Calls of torch.cuda without a device act on the current one.

torch.cuda 的函数不写 device，作用的就是当前设备。
"""
# needs: cuda:2

import torch

torch.cuda.manual_seed_all(7)

with torch.cuda.device(1):
    # zh: 只重设当前设备的随机数种子。
    # en: Seeds the current device alone.
    torch.cuda.manual_seed(42)
    print(torch.cuda.initial_seed())
    #> 42

print(torch.cuda.initial_seed())
#> 7
