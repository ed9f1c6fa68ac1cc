"""Saved activations wait in host memory, and come back for backward.

激活值卸载到主机内存，反向传播时再取回。
"""
# needs: cuda

import torch
from torch import nn

layers = nn.Linear(16, 8), nn.Tanh(), nn.Linear(8, 1)
model = nn.Sequential(*layers).cuda()
x = torch.rand(4, 16, device="cuda")
stored = []


def pack(t):
    stored.append(t.cpu())
    return t.device, stored[-1]


def unpack(packed):
    device, t = packed
    return t.to(device)


def gradient():
    (grad,) = torch.autograd.grad(model(x).sum(), model[0].weight)
    return grad


grad = gradient()
with torch.autograd.graph.saved_tensors_hooks(pack, unpack):
    again = gradient()

print([(tuple(t.shape), t.device.type) for t in stored])
#> [((4, 16), 'cpu'), ((4, 8), 'cpu'), ((4, 8), 'cpu'), ((8, 1), 'cpu')]
print(again.device, torch.equal(grad, again))
#> cuda:0 True
