"""An integer is the number of an accelerator: 1 is `cuda:1`.

整数是加速器的编号：1 就是 `cuda:1`。
"""
# needs: cuda:2

import torch

x = torch.ones(2, device=1)

print(x.device)
#> cuda:1
print(x.get_device())
#> 1
print(x.to(0).device)
#> cuda:0
