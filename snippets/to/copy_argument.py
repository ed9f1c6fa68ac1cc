"""`copy=True` makes a new tensor even where there is nothing to change.

`copy=True`：没有什么要改，也返回新的张量。
"""

import torch

x = torch.zeros(3)

y = x.to("cpu", copy=True)
y += 1
print(y is x, x.tolist(), y.tolist())
#> False [0.0, 0.0, 0.0] [1.0, 1.0, 1.0]

# zh: 设备和类型都不改时，clone() 是同一件事。
# en: Where neither device nor dtype changes, clone() is the same.
z = x.clone()
z += 2
print(z is x, x.tolist(), z.tolist())
#> False [0.0, 0.0, 0.0] [2.0, 2.0, 2.0]
