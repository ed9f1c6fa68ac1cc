"""Autocast halves the saved activations; the weights stay float32.

autocast 让留下的激活值减半；参数仍是 float32。
"""

import torch
from torch import nn

model = nn.Sequential(*[nn.Linear(64, 64) for _ in range(4)])
x = torch.rand(4096, 64)


def train(enabled):
    kept = []

    def keep(t):
        if len(t) == len(x):
            kept.append(t.nbytes)
        return t

    with (
        torch.autograd.graph.saved_tensors_hooks(keep, lambda t: t),
        torch.autocast("cpu", torch.bfloat16, enabled=enabled),
    ):
        y = model(x)
    model.zero_grad()
    y.float().square().mean().backward()
    return model[0].weight.grad, sum(kept)


grad, size = train(False)
cast_grad, cast_size = train(True)
print(size // 2**20, cast_size // 2**20, "MiB")
#> 4 2 MiB
print(cast_grad.dtype, model[0].weight.dtype)
#> torch.float32 torch.float32

error = (cast_grad - grad).norm() / grad.norm()
print(0 < error.item() < 0.01)
#> True
