"""Parameters are moved in place: an optimizer built before still has them.

参数是原地移动的：之前建好的优化器拿着的还是它们。
"""
# needs: cuda

import torch

model = torch.nn.Linear(2, 1, bias=False)
torch.nn.init.zeros_(model.weight)
optimizer = torch.optim.SGD(model.parameters(), lr=0.5)

model.to("cuda")
held = optimizer.param_groups[0]["params"][0]
print(held is model.weight, held.device)
#> True cuda:0

model(torch.ones(1, 2, device="cuda")).sum().backward()
optimizer.step()
print(model.weight.tolist())
#> [[-0.5, -0.5]]
