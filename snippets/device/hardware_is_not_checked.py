"""That a device is there is checked when it is first used, not before.

设备在不在，第一次用到时才检查。
"""

import torch

# zh: 没有 GPU，也没有第 100 块卡，对象照样建得出来。
# en: No GPU, and no hundredth one either: the object is made all the same.
device = torch.device("cuda:99")
print(device)
#> cuda:99

try:
    torch.ones(1, device=device)
except (AssertionError, RuntimeError):
    print("refused on use")
    #> refused on use
