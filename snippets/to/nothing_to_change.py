"""Nothing to change: `.to()` returns the same object, not a copy.

没有什么要改时，`.to()` 返回同一个对象，不拷贝。
"""

import torch

x = torch.tensor([1.0, 2.0])
like_x = torch.tensor([3.0])

print(x.to() is x)
#> True
print(x.to("cpu") is x)
#> True
print(x.to(None) is x)
#> True
print(x.to(torch.float32) is x)
#> True
print(x.to("cpu", torch.float32) is x)
#> True
print(x.to("cpu", non_blocking=True) is x)
#> True
print(x.to(like_x) is x)
#> True
