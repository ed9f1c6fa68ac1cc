"""Two ways to make positions in `forward`: which one follows the input?

在 forward 里生成位置的两种写法：哪一种跟着输入走？
"""

import torch


def positions(x):
    return torch.arange(x.shape[1])


def positions_there(x):
    return torch.arange(x.shape[1], device=x.device)


x = torch.zeros(1, 3, device="meta")
print(positions(x).device, positions_there(x).device)
#> cpu meta
