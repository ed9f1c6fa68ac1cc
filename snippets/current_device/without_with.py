"""`torch.cuda.device(1)` without `with` changes nothing.

没有 `with` 的 `torch.cuda.device(1)` 什么也不改。
"""
# needs: cuda:2

import torch

torch.cuda.device(1)
print(torch.cuda.current_device())
#> 0

with torch.cuda.device(1):
    print(torch.cuda.current_device())
    #> 1
