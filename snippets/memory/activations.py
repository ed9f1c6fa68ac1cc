"""What autograd keeps for the backward pass: it grows with the batch.

自动微分为反向传播留下的激活值，随 batch 成正比增长。
"""

import torch
from torch import nn


def activations(model, x):
    weights = {p.untyped_storage().data_ptr() for p in model.parameters()}
    kept = {}

    def keep(t):
        storage = t.untyped_storage()
        if storage.data_ptr() not in weights:
            kept[storage.data_ptr()] = t
        return t

    with torch.autograd.graph.saved_tensors_hooks(keep, lambda t: t):
        model(x)
    return kept.values()


def mlp(middle):
    return nn.Sequential(nn.Linear(64, 256), middle, nn.Linear(256, 64))


# zh: GELU 留下自己的输入；ReLU 留下输出，和下一层的输入是同一份。
# en: GELU keeps its input; ReLU its output, which the next layer keeps, too.
for middle in (nn.GELU(), nn.ReLU()):
    kept = activations(mlp(middle), torch.rand(10, 64))
    print([tuple(t.shape) for t in kept])
    #> [(10, 64), (10, 256), (10, 256)]
    #> [(10, 64), (10, 256)]

for batch in (1, 10, 100):
    kept = activations(mlp(nn.GELU()), torch.rand(batch, 64))
    print(batch, sum(t.untyped_storage().nbytes() for t in kept))
    #> 1 2304
    #> 10 23040
    #> 100 230400
