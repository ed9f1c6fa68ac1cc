"""Checkpointing keeps the input of each block and computes the rest again.

激活重计算只留下每段的输入，其余的在反向传播时再算一遍。
"""

from functools import partial

import torch
from torch import nn
from torch.utils.checkpoint import checkpoint

blocks = nn.ModuleList(
    nn.Sequential(nn.Linear(64, 64), nn.GELU(), nn.Dropout(0.1))
    for _ in range(8)
)
x = torch.rand(32, 64, requires_grad=True)
runs = []
blocks[0].register_forward_pre_hook(lambda *_: runs.append(1))


def train(run):
    runs.clear()
    kept = []
    torch.manual_seed(1)
    with torch.autograd.graph.saved_tensors_hooks(
        lambda t: kept.append(t) or t, lambda t: t
    ):
        h = x
        for block in blocks:
            h = run(block, h)
    (grad,) = torch.autograd.grad(h.sum(), x)
    return grad, len(kept), len(runs)


grad, kept, forwards = train(lambda block, h: block(h))
print(kept, forwards)
#> 32 1
again, kept, forwards = train(partial(checkpoint, use_reentrant=False))
print(kept, forwards)
#> 8 2
print(torch.equal(grad, again))
#> True
