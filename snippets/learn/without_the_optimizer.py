"""Resumed with and without the state of the optimizer.

继续训练：带上优化器状态，或者不带。
"""

import copy

import torch
from torch import nn


def steps(model, optimizer, count):
    for _ in range(count):
        optimizer.zero_grad()
        model(torch.ones(1, 2)).square().sum().backward()
        optimizer.step()


def new(model):
    return torch.optim.Adam(model.parameters(), lr=0.1)


torch.manual_seed(0)
model = nn.Linear(2, 1)
optimizer = new(model)
steps(model, optimizer, 3)
saved = copy.deepcopy(optimizer.state_dict())
weights_only, with_state = copy.deepcopy(model), copy.deepcopy(model)
steps(model, optimizer, 3)

steps(weights_only, new(weights_only), 3)
print("weights only:", torch.equal(model.weight, weights_only.weight))
#> weights only: False

optimizer = new(with_state)
optimizer.load_state_dict(saved)
steps(with_state, optimizer, 3)
print("with the optimizer:", torch.equal(model.weight, with_state.weight))
#> with the optimizer: True
