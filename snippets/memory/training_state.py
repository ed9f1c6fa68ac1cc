"""Weights, gradients and optimizer state of any model, without its memory.

任何模型的参数、梯度和优化器状态要多少显存，不用真的分配。
"""

import torch


def training_state(model, make_optimizer):
    weights = [*model.parameters(), *model.buffers()]
    trained = [p for p in model.parameters() if p.requires_grad]
    for p in trained:
        p.grad = torch.empty_like(p)
    optimizer = make_optimizer(trained, lr=0.1)
    optimizer.step()
    state = [
        t
        for values in optimizer.state.values()
        for t in values.values()
        if torch.is_tensor(t) and t.is_meta
    ]
    grads = [p.grad for p in trained]
    return [sum(t.nbytes for t in part) for part in (weights, grads, state)]


with torch.device("meta"):
    layer = torch.nn.TransformerEncoderLayer(4096, 32, 16384)
    model = torch.nn.TransformerEncoder(layer, 32, enable_nested_tensor=False)
print(f"{sum(p.numel() for p in model.parameters()) / 1e9:.1f} billion")
#> 6.4 billion

for make in (torch.optim.SGD, torch.optim.AdamW):
    parts = training_state(model, make)
    gib = [f"{part / 2**30:.0f}" for part in (*parts, sum(parts))]
    print(make.__name__, *gib)
    #> SGD 24 24 0 48
    #> AdamW 24 24 48 96
