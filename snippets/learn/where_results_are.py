"""A result is created on the device of its input.

结果建在输入所在的设备上。
"""

import torch

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")

x = torch.ones(3, device=device)
y = x * 2
total = y.sum()
print(y.device == x.device, total.device == x.device)
#> True True

number = total.item()
print(type(number).__name__, number)
#> float 6.0
