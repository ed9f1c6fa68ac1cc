"""What `model.to()` moves, and what it does not know.

model.to() 移动什么，不知道什么。
"""

import torch
from torch import nn


class Scaled(nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(2))
        self.register_buffer("mean", torch.zeros(2))
        self.plain = torch.ones(2)


model = Scaled().to("meta")
for name in ("weight", "mean", "plain"):
    print(name, getattr(model, name).device)
    #> weight meta
    #> mean meta
    #> plain cpu
