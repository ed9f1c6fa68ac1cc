"""One function that moves any nesting and leaves the rest as it is.

一个函数，移动任意嵌套的 batch，其余的原样保留。
"""
# needs: cuda

from collections import namedtuple

import torch


def move(batch, device):
    if hasattr(batch, "to"):
        return batch.to(device)
    if isinstance(batch, dict):
        return {key: move(value, device) for key, value in batch.items()}
    if isinstance(batch, tuple) and hasattr(batch, "_fields"):
        return type(batch)(*(move(value, device) for value in batch))
    if isinstance(batch, (list, tuple)):
        return type(batch)(move(value, device) for value in batch)
    return batch


Pair = namedtuple("Pair", "x target")
batch = {
    "pair": Pair(torch.ones(1), torch.zeros(1)),
    "boxes": [torch.ones(2), torch.ones(1)],
    "size": (torch.tensor(7), 8),
    "file": "cat.jpg",
}

for key, value in move(batch, "cuda").items():
    print(key, value)
    #> pair Pair(x=tensor([1.], device='cuda:0'), target=tensor([0.], device='cuda:0'))
    #> boxes [tensor([1., 1.], device='cuda:0'), tensor([1.], device='cuda:0')]
    #> size (tensor(7, device='cuda:0'), 8)
    #> file cat.jpg
