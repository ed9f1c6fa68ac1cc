"""`where`, a product, `nonzero_static`: shapes that no value decides.

形状和数值无关的写法：`where`、乘法、`nonzero_static`。
"""

import torch

x = torch.tensor([3.0, -1.0, 2.0, -4.0])
mask = x > 0

print(x[mask].mean())
#> tensor(2.5000)
print((x * mask).sum() / mask.sum())
#> tensor(2.5000)
print(torch.where(mask, x, 0))
#> tensor([3., 0., 2., 0.])

# zh: 至多要 3 个下标；不够的用 -1 补。
# en: At most 3 indices are wanted; missing ones are -1.
print(mask.nonzero_static(size=3).flatten())
#> tensor([ 0,  2, -1])
