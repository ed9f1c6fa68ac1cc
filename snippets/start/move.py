"""A tensor's `.to()` returns the moved tensor; a module's moves the module.

张量的 `.to()` 返回移好的张量，模型的 `.to()` 移动模型本身。
"""
# needs: cuda

import torch

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")

x = torch.ones(3)
x.to(device)
print(x.device)
#> cpu
x = x.to(device)
print(x.device)
#> cuda:0

# zh: 已经在那里：返回的就是同一个张量，不是拷贝。
# en: It is there already: the same tensor comes back, not a copy.
print(x.to(device) is x)
#> True

model = torch.nn.Linear(3, 1)
model.to(device)
print(model.weight.device)
#> cuda:0
