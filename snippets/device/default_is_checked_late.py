"""A default device is set without a check; the first tensor finds out.

设默认设备时不检查，建第一个张量时才知道行不行。
"""

import torch

torch.set_default_device("cuda")
print("set")
#> set

try:
    x = torch.ones(1)
except (AssertionError, RuntimeError):
    print("refused at the first tensor")
    #> refused at the first tensor
else:
    print("made on", x.device.type)

torch.set_default_device(None)
