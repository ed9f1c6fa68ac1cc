"""An optimizer wants a leaf: make it on the device, do not move it there.

优化器要的是叶子：直接建在设备上，不要建好再移。
"""
# needs: cuda

import torch

moved = torch.zeros(2, requires_grad=True).to("cuda")
try:
    torch.optim.SGD([moved], lr=0.1)
except ValueError as error:
    print(error)
    #> can't optimize a non-leaf Tensor

made_there = torch.zeros(2, device="cuda", requires_grad=True)
optimizer = torch.optim.SGD([made_there], lr=0.1)
(made_there - 1).square().sum().backward()
optimizer.step()
print(made_there)
#> tensor([0.2000, 0.2000], device='cuda:0', requires_grad=True)
