"""Three ways to write a device, and which of them are equal.

设备的三种写法，哪些相等。
"""

import torch

bare = torch.device("cuda")
numbered = torch.device("cuda:0")
apart = torch.device("cuda", 0)

print(numbered == apart)
#> True
print(bare == numbered)
#> False
print(bare.type == numbered.type, bare.index, numbered.index)
#> True None 0
