"""The device is chosen once, and everything else says `device`.

设备只选一次，其余地方都写 device。
"""

import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")

model = nn.Linear(4, 2).to(device)
x = torch.ones(3, 4, device=device)
mask = torch.zeros_like(x)
y = model(x)

print({t.device.type == device.type for t in (x, mask, y)})
#> {True}
