"""Leaks: eval() does not turn gradients off, so outputs carry their graph.

泄漏：eval() 不会关掉求导，存下的输出各带着一张计算图。
"""

import weakref

import torch
from torch import nn

model = nn.Sequential(nn.Linear(4, 8), nn.Sigmoid(), nn.Linear(8, 1))
model.eval()
hidden, outputs = [], []
model[1].register_forward_hook(
    lambda module, args, output: hidden.append(weakref.ref(output))
)

for _ in range(3):
    outputs.append(model(torch.rand(8, 4)))

print(model.training, outputs[0].requires_grad)
#> False True
print(sum(ref() is not None for ref in hidden), "hidden layers alive")
#> 3 hidden layers alive
