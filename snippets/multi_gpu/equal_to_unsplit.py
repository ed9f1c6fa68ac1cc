"""Split by hand over two GPUs, a model has the gradients that it had on one.

手工拆到两块 GPU 上，梯度和在一块上时相同。
"""
# needs: cuda:2

import copy

import torch

layers = torch.nn.Sequential(
    torch.nn.Linear(4, 8), torch.nn.Tanh(), torch.nn.Linear(8, 2)
)
whole = copy.deepcopy(layers).to("cuda:0")
lower, upper = layers[:2].to("cuda:0"), layers[2:].to("cuda:1")
x = torch.rand(16, 4, device="cuda:0")

whole(x).square().sum().backward()
upper(lower(x).to("cuda:1")).square().sum().backward()

for old, new in zip(whole.parameters(), layers.parameters(), strict=True):
    grad = new.grad.to(old.grad.device)
    same = torch.allclose(grad, old.grad, atol=1e-6)
    print(tuple(new.shape), old.grad.device, new.grad.device, same)
    #> (8, 4) cuda:0 cuda:0 True
    #> (8,) cuda:0 cuda:0 True
    #> (2, 8) cuda:0 cuda:1 True
    #> (2,) cuda:0 cuda:1 True
