"""Leaks: a hook that appends outputs keeps those of every step.

泄漏：hook 把输出追加到列表里，每一步的都留着。
"""

import weakref

import torch

model = torch.nn.Linear(4, 8)
batches, features = [], []
model.register_forward_hook(
    lambda module, args, output: features.append(output)
)

for _ in range(3):
    batch = torch.rand(2, 4)
    batches.append(weakref.ref(batch))
    model(batch)
del batch

print(len(features), "outputs kept")
#> 3 outputs kept
print(sum(ref() is not None for ref in batches), "batches alive")
#> 3 batches alive
