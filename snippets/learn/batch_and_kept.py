"""What the forward pass keeps of our network, for three batch sizes.

我们的网络，前向传播留下多少字节：三种 batch 大小。
"""

import torch
from torch import nn

hidden = nn.Linear(2, 64), nn.ReLU(), nn.Linear(64, 64), nn.ReLU()
model = nn.Sequential(*hidden, nn.Linear(64, 3))
weights = {w.data_ptr() for w in model.parameters()}

for batch in (100, 200, 400):
    kept = {}
    hooks = torch.autograd.graph.saved_tensors_hooks(
        lambda t, kept=kept: kept.setdefault(t.data_ptr(), t), lambda t: t
    )
    points, rings = torch.rand(batch, 2), torch.zeros(batch, dtype=torch.long)
    with hooks:
        nn.functional.cross_entropy(model(points), rings)
    size = sum(t.nbytes for at, t in kept.items() if at not in weights)
    print(f"batch {batch}: {size} bytes")
    #> batch 100: 54004 bytes
    #> batch 200: 108004 bytes
    #> batch 400: 216004 bytes
