"""zero_grad() lets go of the gradients; set_to_none=False keeps them.

zero_grad() 放掉梯度的显存；set_to_none=False 把它们留着。
"""

import torch

model = torch.nn.Linear(256, 256, bias=False)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)


def gradient_bytes():
    grads = [p.grad for p in model.parameters() if p.grad is not None]
    return sum(g.nbytes for g in grads)


model(torch.rand(8, 256)).sum().backward()
print(gradient_bytes())
#> 262144

optimizer.zero_grad(set_to_none=False)
print(gradient_bytes(), model.weight.grad.any().item())
#> 262144 False

optimizer.zero_grad()
print(gradient_bytes())
#> 0
