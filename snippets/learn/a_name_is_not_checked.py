"""A device is only a name: that it exists is checked when it is used.

设备只是一个名字：用到的时候才检查它在不在。
"""

import torch

far = torch.device("cuda", 99)
print(far)
#> cuda:99

try:
    torch.ones(1, device=far)
except (RuntimeError, AssertionError) as error:
    print("now it fails:", bool(str(error)))
    #> now it fails: True
