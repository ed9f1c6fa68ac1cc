"""`.float()`, `.half()` and their kind: `.to(dtype)` under a short name.

`.float()`、`.half()` 等：`.to(dtype)` 的简写。
"""

import torch

x = torch.tensor([1.7, 0.0])

print(x.float() is x)
#> True
print(x.double())
#> tensor([1.7000, 0.0000], dtype=torch.float64)
print(x.half())
#> tensor([1.7002, 0.0000], dtype=torch.float16)
print(x.bfloat16())
#> tensor([1.7031, 0.0000], dtype=torch.bfloat16)

# zh: 转成整数是去掉小数部分，不是四舍五入。
# en: To an integer means cutting off, not rounding.
print(x.int())
#> tensor([1, 0], dtype=torch.int32)
print(x.long())
#> tensor([1, 0])
print(x.bool())
#> tensor([ True, False])
