"""A batch class with `.to()` and `.pin_memory()`, which DataLoader calls.

自己的 batch 类：写上 `.to()` 和 `.pin_memory()`，DataLoader 会调用后者。
"""
# needs: cuda

from dataclasses import dataclass

import torch
from torch.utils.data import DataLoader


@dataclass
class Batch:
    x: torch.Tensor
    target: torch.Tensor

    def to(self, device, **options):
        x = self.x.to(device, **options)
        return Batch(x, self.target.to(device, **options))

    def pin_memory(self):
        return Batch(self.x.pin_memory(), self.target.pin_memory())


def collate(rows):
    x, target = zip(*rows, strict=True)
    return Batch(torch.tensor(x), torch.tensor(target))


rows = [(1.0, 0), (2.0, 1)]
loader = DataLoader(rows, 2, collate_fn=collate, pin_memory=True)

for batch in loader:
    print(batch.x.is_pinned(), batch.target.is_pinned())
    #> True True
    print(batch.to("cuda", non_blocking=True))
    #> Batch(x=tensor([1., 2.], device='cuda:0'), target=tensor([0, 1], device='cuda:0'))
