"""NumPy has no bfloat16: convert to float32 first.

NumPy 没有 bfloat16：先转成 float32。
"""

import torch

x = torch.tensor([1.0, 2.5], dtype=torch.bfloat16)

try:
    x.numpy()
except TypeError as error:
    print(error)
    #> Got unsupported ScalarType BFloat16

print(x.float().numpy())
#> [1.  2.5]
