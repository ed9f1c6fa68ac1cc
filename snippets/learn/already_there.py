"""Moving a tensor to where it is already.

把张量移到它本来就在的地方。
"""

import torch

x = torch.ones(2)
print(x.to("cpu") is x)
#> True
print(x.to("cpu", copy=True) is x)
#> False
