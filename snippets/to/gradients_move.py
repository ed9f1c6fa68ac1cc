"""A gradient moves along with its parameter.

梯度跟着参数一起移。
"""
# needs: cuda

import torch

model = torch.nn.Linear(2, 1)
model(torch.tensor([[3.0, 4.0]])).sum().backward()
print(model.weight.grad)
#> tensor([[3., 4.]])

model.to("cuda")
print(model.weight.grad)
#> tensor([[3., 4.]], device='cuda:0')
