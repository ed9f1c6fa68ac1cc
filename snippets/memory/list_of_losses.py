"""Leaks: a kept loss keeps its step's graph, and so does a sum of losses.

泄漏：留着 loss，就留着那一步的计算图；把 loss 加起来也一样。
"""

import weakref

import torch

model = torch.nn.Linear(4, 1)
batches, losses, total = [], [], 0.0


def alive():
    return sum(ref() is not None for ref in batches)


for _ in range(3):
    batch = torch.rand(8, 4)
    batches.append(weakref.ref(batch))
    losses.append(model(batch).square().mean())
    total += losses[-1]
del batch
print(alive(), "with list and sum")
#> 3 with list and sum

losses.clear()
print(alive(), "with the sum")
#> 3 with the sum

total = total.item()
print(alive(), "with a number")
#> 0 with a number
