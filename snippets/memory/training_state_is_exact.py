"""Computed on meta, the sizes are those of the storages of a real step.

在 meta 设备上算出的字节数，就是真训练一步之后存储的大小。
"""

import torch
from torch import nn


def make_model():
    model = nn.Sequential(
        nn.Conv2d(3, 8, 3), nn.BatchNorm2d(8), nn.Flatten(), nn.Linear(288, 5)
    )
    model[0].requires_grad_(False)
    return model, [p for p in model.parameters() if p.requires_grad]


def parts(model, trained, optimizer):
    state = [t for s in optimizer.state.values() for t in s.values() if t.ndim]
    weights = [*model.parameters(), *model.buffers()]
    return weights, [p.grad for p in trained], state


with torch.device("meta"):
    model, trained = make_model()
for p in trained:
    p.grad = torch.empty_like(p)
optimizer = torch.optim.Adam(trained)
optimizer.step()
on_meta = parts(model, trained, optimizer)
print([sum(t.nbytes for t in part) for part in on_meta])
#> [6812, 5844, 11688]

model, trained = make_model()
optimizer = torch.optim.Adam(trained)
model(torch.rand(2, 3, 8, 8)).sum().backward()
optimizer.step()
for part in parts(model, trained, optimizer):
    storages = {s.data_ptr(): s for s in (t.untyped_storage() for t in part)}
    print(sum(s.nbytes() for s in storages.values()))
    #> 6812
    #> 5844
    #> 11688
