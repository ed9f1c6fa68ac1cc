"""Twice the batch, twice the learning rate: one large step for two small ones.

batch 加倍、学习率加倍：一大步抵两小步。
"""

import copy

import torch

torch.manual_seed(0)
x = torch.randn(64, 4)
y = x @ torch.tensor([1.0, -2.0, 0.5, 3.0]) + 0.1 * torch.randn(64)
begin = torch.nn.Linear(4, 1)


def train(batch_size, rate):
    """The weights after one pass over the 64 samples."""
    # zh: 把 64 个样本过一遍之后的权重。
    model = copy.deepcopy(begin)
    optimizer = torch.optim.SGD(model.parameters(), lr=rate)
    for part in torch.arange(64).split(batch_size):
        loss = (model(x[part]).squeeze(1) - y[part]).square().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return model.weight.detach()


small = train(batch_size=8, rate=0.01)
way = (small - begin.weight).norm()
for batch_size, rate in ((16, 0.01), (16, 0.02), (64, 0.08)):
    off = (train(batch_size, rate) - small).norm() / way
    print(f"batch {batch_size}, rate {rate}: {off:.0%} off")
    #> batch 16, rate 0.01: 48% off
    #> batch 16, rate 0.02: 1% off
    #> batch 64, rate 0.08: 7% off
