"""The optimizer was made before the model moved. Does it still work?

先建优化器，再移动模型，还能用吗？
"""

import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")

model = nn.Linear(2, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
weight = model.weight
model.to(device)
print(model.weight is weight)
#> True

before = model.weight.detach().clone()
model(torch.ones(1, 2, device=device)).sum().backward()
optimizer.step()
print(torch.equal(model.weight, before))
#> False
