"""Parameters, gradients and Adam's state of our network, to the byte.

我们的网络：参数、梯度和 Adam 的状态，精确到字节。
"""

import torch
from torch import nn


def nbytes(tensors):
    return sum(t.nbytes for t in tensors)


hidden = nn.Linear(2, 64), nn.ReLU(), nn.Linear(64, 64), nn.ReLU()
model = nn.Sequential(*hidden, nn.Linear(64, 3))
optimizer = torch.optim.Adam(model.parameters())
model(torch.rand(100, 2)).sum().backward()
optimizer.step()

weights = list(model.parameters())
print("numbers  ", sum(w.numel() for w in weights))
#> numbers   4547
print("weights  ", nbytes(weights))
#> weights   18188
print("gradients", nbytes(w.grad for w in weights))
#> gradients 18188
states = optimizer.state.values()
print("averages ", nbytes(s["exp_avg"] for s in states))
#> averages  18188
print("squares  ", nbytes(s["exp_avg_sq"] for s in states))
#> squares   18188
