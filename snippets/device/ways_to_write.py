"""A device is a type and a number, however it is written.

设备就是类型加编号，怎么写都一样。
"""

import torch

device = torch.device("cuda:1")
print(device.type, device.index)
#> cuda 1

print(torch.device("cuda", 1) == device)
#> True
print(torch.device(type="cuda", index=1) == device)
#> True
print(torch.device(device) == device)
#> True
