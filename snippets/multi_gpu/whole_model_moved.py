"""`model.to("cuda:0")` undoes the split: all layers are on one GPU again.

`model.to("cuda:0")` 把拆开的又合上：所有层都回到一块 GPU 上。
"""
# needs: cuda:2

import torch

lower = torch.nn.Linear(4, 8).to("cuda:0")
upper = torch.nn.Linear(8, 2).to("cuda:1")
model = torch.nn.Sequential(lower, upper)
print(*[layer.weight.device for layer in model])
#> cuda:0 cuda:1

model.to("cuda:0")
print(*[layer.weight.device for layer in model])
#> cuda:0 cuda:0
