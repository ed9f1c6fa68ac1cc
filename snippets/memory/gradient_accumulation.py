"""Four small batches, one update: the gradients of the large batch.

四个小 batch 才更新一次：梯度和一个大 batch 的相同。
"""

import torch
from torch import nn

model = nn.Sequential(nn.Linear(16, 64), nn.Tanh(), nn.Linear(64, 1))
x, y = torch.rand(32, 16), torch.rand(32, 1)


def gradients(parts):
    model.zero_grad()
    most = 0
    for inputs, targets in zip(x.chunk(parts), y.chunk(parts), strict=True):
        kept = []
        with torch.autograd.graph.saved_tensors_hooks(
            lambda t, kept=kept: kept.append(t) or t, lambda t: t
        ):
            loss = nn.functional.mse_loss(model(inputs), targets)
        most = max(most, sum(t.nbytes for t in kept if len(t) == len(inputs)))
        # zh: 除以份数：损失是平均值，四份梯度要加成一份。
        # en: Divide: the loss is a mean, and four gradients are added up.
        (loss / parts).backward()
    return [p.grad.clone() for p in model.parameters()], most


whole, size = gradients(parts=1)
added, small_size = gradients(parts=4)
print(size, small_size)
#> 18688 4672
for a, b in zip(whole, added, strict=True):
    assert torch.allclose(a, b, rtol=1e-4, atol=1e-6)
print(all(g.abs().sum() > 0 for g in added))
#> True
