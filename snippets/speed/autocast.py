"""Autocast picks a dtype for each operation; the weights stay float32.

autocast 给每个算子挑数据类型，权重仍是 float32。
"""

import torch

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")

model = torch.nn.Linear(4, 2).to(device)
x = torch.ones(3, 4, device=device)
target = torch.zeros(3, 2, device=device)

with torch.autocast(device.type, dtype=torch.bfloat16):
    y = model(x)
    loss = torch.nn.functional.mse_loss(y, target)
    mixed = y + target

print(model.weight.dtype, "weight")
#> torch.float32 weight
print(y.dtype, "linear layer")
#> torch.bfloat16 linear layer
print(loss.dtype, "loss")
#> torch.float32 loss
print(mixed.dtype, "bfloat16 + float32")
#> torch.float32 bfloat16 + float32

loss.backward()
print(model.weight.grad.dtype, "gradient")
#> torch.float32 gradient
