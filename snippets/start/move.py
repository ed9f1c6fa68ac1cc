"""A tensor's `.to()` returns a moved copy; a module's moves the module.

`tensor.to()` 返回移好的张量，`module.to()` 移动模型本身。
"""
# needs: cuda

import torch

device = torch.device("cuda")

x = torch.ones(3)
x.to(device)
print(x.device)
#> cpu
x = x.to(device)
print(x.device)
#> cuda:0

model = torch.nn.Linear(3, 1)
model.to(device)
print(model.weight.device)
#> cuda:0
