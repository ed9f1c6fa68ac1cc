"""`DataParallel` wants the model on `device_ids[0]` and says so.

`DataParallel` 要求模型先在 `device_ids[0]` 上。
"""
# needs: cuda:2
# simulated: no

import torch

layer = torch.nn.Linear(4, 2).to("cuda:1")
model = torch.nn.DataParallel(layer, device_ids=[0, 1])
x = torch.ones(6, 4)

try:
    model(x)
except RuntimeError as error:
    print(error)

layer.to("cuda:0")
print(model(x).device)
