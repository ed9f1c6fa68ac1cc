"""One batch of 100 or two of 50: the same gradients, half of what is kept.

一个 100 的 batch，或两个 50 的：梯度相同，留下的激活值减半。
"""

import torch
from torch import nn

torch.manual_seed(0)
hidden = nn.Linear(2, 64), nn.ReLU(), nn.Linear(64, 64), nn.ReLU()
model = nn.Sequential(*hidden, nn.Linear(64, 3))
weights = {w.data_ptr() for w in model.parameters()}
points, rings = torch.rand(100, 2), torch.randint(3, (100,))
kept = {}


def keep(t):
    kept[t.data_ptr()] = t
    return t


def gradients(parts):
    model.zero_grad()
    most = 0
    for x, y in zip(points.chunk(parts), rings.chunk(parts), strict=True):
        kept.clear()
        with torch.autograd.graph.saved_tensors_hooks(keep, lambda t: t):
            loss = nn.functional.cross_entropy(model(x), y)
        sizes = {at: t.nbytes for at, t in kept.items() if at not in weights}
        most = max(most, sum(sizes.values()))
        (loss / parts).backward()
    return [w.grad for w in model.parameters()], most


whole, size = gradients(parts=1)
added, small_size = gradients(parts=2)
print("kept:", size, small_size)
#> kept: 54004 27004
pairs = zip(whole, added, strict=True)
print("same:", all(torch.allclose(a, b, atol=1e-6) for a, b in pairs))
#> same: True
