"""Which weights are NaN or inf before training begins.

训练之前，哪些权重是 NaN 或 inf。
"""

import torch
from torch import nn

model = nn.Sequential(nn.Linear(4, 4), nn.Linear(4, 2)).bfloat16()
with torch.no_grad():
    model[1].bias[0] = 70_000


def not_finite(model):
    parameters = model.named_parameters()
    return [name for name, p in parameters if not torch.isfinite(p).all()]


print(not_finite(model))
#> []
print(not_finite(model.to(torch.float16)))
#> ['1.bias']
