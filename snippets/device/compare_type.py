"""Is this tensor on a GPU? Compare the type, not the device.

张量在不在 GPU 上？比较类型，不要比较设备。
"""
# needs: cuda

import torch

device = torch.device("cuda")
x = torch.ones(2, device=device)

# zh: 张量的设备总带着编号，所以不等于 device。
# en: The device of a tensor always has its number and so is not `device`.
print(device, x.device)
#> cuda cuda:0
print(x.device == device)
#> False

print(x.device.type == device.type)
#> True
print(x.is_cuda)
#> True
