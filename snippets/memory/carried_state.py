"""Leaks: a state carried from step to step carries all graphs before it.

泄漏：从一步带到下一步的状态，身后拖着之前所有的计算图。
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
    # zh: 不写 retain_graph，第二步就会报错；写了它，图就越拖越长。
    # en: Without retain_graph the second step raises; with it, graphs pile up.
    state.sum().backward(retain_graph=True)
del batch

print(sum(ref() is not None for ref in batches), "batches alive")
#> 3 batches alive
