"""A model that checkpoints its blocks while it is trained.

训练时对每一段做重计算的模型。
"""

import torch
from torch import nn
from torch.utils.checkpoint import checkpoint


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.blocks = nn.ModuleList(
            nn.Sequential(nn.Linear(64, 64), nn.GELU()) for _ in range(4)
        )
        self.head = nn.Linear(64, 1)

    def forward(self, x):
        for block in self.blocks:
            # zh: 验证时没有反向传播，不用再算一遍。
            # en: Evaluation has no backward pass, so nothing runs again.
            if self.training and torch.is_grad_enabled():
                x = checkpoint(block, x, use_reentrant=False)
            else:
                x = block(x)
        return self.head(x)


model = Model()
runs = []
for block in model.blocks:
    block.register_forward_pre_hook(lambda *_: runs.append(1))

x = torch.rand(32, 64)
model(x).sum().backward()
print("training:", len(runs))
#> training: 8
assert all(p.grad is not None for p in model.parameters())

runs.clear()
model.eval()
with torch.inference_mode():
    model(x)
print("evaluation:", len(runs))
#> evaluation: 4
