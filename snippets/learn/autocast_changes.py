"""What autocast changes in our network: types, and what is kept.

autocast 改变了我们网络里的什么：数据类型，和留下的激活值。
"""

import torch
from torch import nn

hidden = nn.Linear(2, 64), nn.ReLU(), nn.Linear(64, 64), nn.ReLU()
model = nn.Sequential(*hidden, nn.Linear(64, 3))
points, rings = torch.rand(100, 2), torch.zeros(100, dtype=torch.long)
kept = {}


# zh: 激活值每行对应一个样本；参数不是 100 行，不数。
# en: Activations have a row for each sample; weights don't have 100 rows.
def keep(t):
    if t.dim() == 2 and len(t) == len(points):
        kept[t.data_ptr()] = t
    return t


for enabled in (False, True):
    kept.clear()
    model.zero_grad()
    with (
        torch.autograd.graph.saved_tensors_hooks(keep, lambda t: t),
        torch.autocast("cpu", torch.bfloat16, enabled=enabled),
    ):
        scores = model(points)
        loss = nn.functional.cross_entropy(scores, rings)
    loss.backward()
    size = sum(t.nbytes for t in kept.values())
    weight = model[0].weight
    print(f"autocast {enabled}: keeps {size} bytes")
    #> autocast False: keeps 53200 bytes
    #> autocast True: keeps 27200 bytes
    for t in (scores, loss, weight, weight.grad):
        print(t.dtype, end=" ")
    print()
    #> torch.float32 torch.float32 torch.float32 torch.float32
    #> torch.bfloat16 torch.float32 torch.float32 torch.float32
