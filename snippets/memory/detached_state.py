"""Does not leak: the state is detached before the next step.

不泄漏：进入下一步之前，先把状态 detach。
"""

import weakref

import torch

cell = torch.nn.GRUCell(4, 8)
state = torch.zeros(2, 8)
batches = []

for _ in range(3):
    batch = torch.rand(2, 4)
    batches.append(weakref.ref(batch))
    state = cell(batch, state)
    state.sum().backward()
    state = state.detach()
del batch

print(len(batches), sum(ref() is not None for ref in batches))
#> 3 0
