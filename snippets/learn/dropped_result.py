"""The result of `.to()` is dropped, or kept.

.to() 的结果丢掉了，或者接住了。
"""

import torch

x = torch.ones(2)
x.to(torch.float64)
print(x.dtype)
#> torch.float32
x = x.to(torch.float64)
print(x.dtype)
#> torch.float64
