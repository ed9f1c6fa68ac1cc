"""How many operators one forward and backward pass calls, for two batches.

一次前向和反向传播要调用多少个算子：两种 batch 大小。
"""

import torch
from torch import nn
from torch.utils._python_dispatch import TorchDispatchMode


class Count(TorchDispatchMode):
    def __torch_dispatch__(self, operator, types, args=(), kwargs=None):
        names.append(str(operator))
        return operator(*args, **(kwargs or {}))


hidden = nn.Linear(2, 64), nn.ReLU(), nn.Linear(64, 64), nn.ReLU()
model = nn.Sequential(*hidden, nn.Linear(64, 3))
for batch in (100, 10_000):
    points, rings = torch.rand(batch, 2), torch.zeros(batch, dtype=torch.long)
    names = []
    with Count():
        loss = nn.functional.cross_entropy(model(points), rings)
        forward = len(names)
        loss.backward()
    print(f"batch {batch}: {forward} forward, {len(names) - forward} backward")
    #> batch 100: 13 forward, 36 backward
    #> batch 10000: 13 forward, 36 backward
    model.zero_grad()
