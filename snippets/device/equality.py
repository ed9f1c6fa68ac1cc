"""`cuda` and `cuda:0` are two devices; a device never equals a string.

`cuda` 和 `cuda:0` 是两个设备；设备和字符串永远不相等。
"""

import torch

bare = torch.device("cuda")
first = torch.device("cuda:0")

print(bare.index, first.index)
#> None 0
print(bare == first)
#> False

print(str(bare))
#> cuda
print(bare == str(bare))
#> False
