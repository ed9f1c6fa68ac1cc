"""A result is on the GPU of its inputs, whatever the current device is.

结果在输入所在的卡上，与当前设备无关。
"""
# needs: cuda:2

import torch

x = torch.ones(2, device="cuda:1")
y = x + 1
fresh = torch.ones(2, device="cuda")

print(y.device, fresh.device)
#> cuda:1 cuda:0
