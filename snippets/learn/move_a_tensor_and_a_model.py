"""`.to()` returns a moved tensor, and moves a model.

张量的 .to() 返回移动后的张量，模型的 .to() 移动模型自己。
"""
# needs: cuda

import torch
from torch import nn

x = torch.ones(2, 4)
model = nn.Linear(4, 1)

x.to("cuda")
model.to("cuda")
print(x.device.type, model.weight.device.type)
#> cpu cuda

x = x.to("cuda")
print(x.device.type, model(x).device.type)
#> cuda cuda
