"""One training step for any accelerator, and for none.

一步训练，有没有加速器、是哪一家的，代码都一样。
"""

import torch

device = torch.accelerator.current_accelerator(check_available=True)
device = device or torch.device("cpu")

model = torch.nn.Linear(3, 1, bias=False).to(device)
optimizer = torch.optim.SGD(model.parameters(), lr=1.5)

x = torch.eye(3, device=device)
y = torch.tensor([[1.0], [2.0], [3.0]], device=device)

loss = torch.nn.functional.mse_loss(model(x), y)
loss.backward()
optimizer.step()

print("on", device)
#> on cpu
print([round(weight, 3) for weight in model.weight[0].tolist()])
#> [1.0, 2.0, 3.0]
