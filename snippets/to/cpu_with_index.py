"""`"cpu:0"` is not `"cpu"`: this move copies although nothing moves.

`"cpu:0"` 不等于 `"cpu"`：什么也没有移，却拷贝了一份。
"""

import torch

x = torch.tensor([1.0, 2.0])
y = x.to("cpu:0")

print(y is x, y.data_ptr() == x.data_ptr())
#> False False
print(x.device, y.device)
#> cpu cpu
