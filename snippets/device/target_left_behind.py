"""Cause 1: the input was moved, the target was not.

原因一：输入移过去了，标签没有移。
"""
# needs: cuda

import torch

model = torch.nn.Linear(4, 2).to("cuda")
inputs, targets = torch.rand(8, 4), torch.zeros(8, 2)

outputs = model(inputs.to("cuda"))
try:
    torch.nn.functional.mse_loss(outputs, targets)
except RuntimeError as error:
    print(str(error).split(",")[0])
    #> Expected all tensors to be on the same device

loss = torch.nn.functional.mse_loss(outputs, targets.to("cuda"))
print(loss.device)
#> cuda:0
