"""A weight left on meta: a product with it raises nothing and has no values.

留在 meta 上的权重：用它做乘法不报错，结果里也没有算出来的数。
"""

import torch
from torch import nn

x = torch.ones(2, 3)
layer = nn.Linear(3, 4, bias=False, device="meta")

y = layer(x)
print("product:", y.device, tuple(y.shape))
#> product: cpu (2, 4)

try:
    x + torch.empty(2, 3, device="meta")
except RuntimeError as error:
    print("sum:", error)
    #> sum: Tensor on device meta is not on the expected device cpu!
