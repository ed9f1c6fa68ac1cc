"""A tensor on `meta` has a shape and a type, and no numbers.

`meta` 上的张量有形状和类型，没有数值。
"""

import torch

with torch.device("meta"):
    x = torch.ones(100_000, 200_000)
    y = x.half() @ torch.ones(200_000, 3, dtype=torch.half)

print(tuple(y.shape), y.dtype, y.device)
#> (100000, 3) torch.float16 meta
print(y.is_meta)
#> True
print(y)
#> tensor(..., device='meta', size=(100000, 3), dtype=torch.float16)

try:
    y.tolist()
except NotImplementedError as error:
    print(error)
    #> Cannot copy out of meta tensor; no data!
