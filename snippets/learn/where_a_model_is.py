"""A model has no device of its own: its parameters have.

模型自己没有设备，有设备的是它的参数。
"""

import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")

model = nn.Sequential(nn.Linear(2, 64), nn.ReLU(), nn.Linear(64, 3))
model.to(device)

print(hasattr(model, "device"))
#> False
print({p.device.type for p in model.parameters()} == {device.type})
#> True
