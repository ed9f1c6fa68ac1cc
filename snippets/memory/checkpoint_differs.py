"""A block with checkpointing has to do the same when it is run again.

用了重计算的一段，再算一遍时必须做同样的事。
"""

import torch
from torch import nn
from torch.utils.checkpoint import checkpoint

block = nn.Sequential(nn.Linear(4, 4), nn.Dropout(), nn.Tanh())
x = torch.ones(2, 4)

for switched in (True, False):
    block.train()
    y = checkpoint(block, x, use_reentrant=False)
    if switched:
        # zh: 反向传播会再算一遍这一段，而 Dropout 已经关掉了。
        # en: The backward pass runs the block again, now without Dropout.
        block.eval()
    try:
        y.sum().backward()
        print("gradient:", tuple(block[0].weight.grad.shape))
        #> gradient: (4, 4)
    except RuntimeError as error:
        print(type(error).__name__)
        #> CheckpointError
        print(str(error).splitlines()[1])
        #> Number of tensors saved during forward: 3
        print(str(error).splitlines()[2])
        #> Number of tensors saved during recomputation: 2.
