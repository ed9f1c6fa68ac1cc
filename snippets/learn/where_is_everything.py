"""Where each tensor of a step is: the name of what strayed.

一步里的每个张量在哪里：找出走散的那一个。
"""

import torch
from torch import nn


def where(device, model, **others):
    named = {**others, **dict(model.named_parameters())}
    named.update(model.named_buffers())
    for path, module in model.named_modules():
        for name, value in vars(module).items():
            named[f"{path}.{name}".strip(".")] = value
    for name, x in named.items():
        if isinstance(x, torch.Tensor) and x.device != device:
            print(name, "is on", x.device)
            #> rings is on cpu
            #> 1.scale is on cpu


model = nn.Sequential(nn.Linear(2, 8), nn.BatchNorm1d(8), nn.Linear(8, 3))
model[1].scale = torch.ones(8)
model.to("meta")
points = torch.ones(4, 2, device="meta")
rings = torch.zeros(4, dtype=torch.long)

where(points.device, model, points=points, rings=rings)
