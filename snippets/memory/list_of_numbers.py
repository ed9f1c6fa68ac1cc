"""Does not leak: a list of numbers, or of detached losses.

不泄漏：列表里存数，或者存 detach 过的 loss。
"""

import weakref

import torch

model = torch.nn.Linear(4, 1)
batches, numbers, detached = [], [], []

for _ in range(3):
    batch = torch.rand(8, 4)
    batches.append(weakref.ref(batch))
    loss = model(batch).square().mean()
    numbers.append(loss.item())
    detached.append(loss.detach())
del batch, loss

print(len(numbers), sum(ref() is not None for ref in batches))
#> 3 0
print(torch.equal(torch.stack(detached), torch.tensor(numbers)))
#> True
