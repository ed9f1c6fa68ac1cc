"""One step of `DataParallel` by hand: who copies what, every step.

亲手做一步 `DataParallel`：每一步都在拷什么。
"""
# needs: cuda:2

import torch

weight = torch.randn(1000, 1000, device="cuda:0", requires_grad=True)
x = torch.rand(8, 1000, device="cuda:0")
copied = []


def copy(tensor, device):
    if str(tensor.device) != device:
        copied.append(tensor.nbytes)
    return tensor.to(device)


devices = ("cuda:0", "cuda:1")
halves = x.chunk(2)
parts = [copy(half, d) for half, d in zip(halves, devices, strict=True)]
replicas = [copy(weight, d) for d in devices]
outputs = [a @ w for a, w in zip(parts, replicas, strict=True)]
output = torch.cat([copy(y, "cuda:0") for y in outputs])

output.square().mean().backward()
print(output.device, weight.grad.device)
#> cuda:0 cuda:0
print("scatter, replicate, gather:", *copied)
#> scatter, replicate, gather: 16000 4000000 16000

alone = weight.detach().clone().requires_grad_()
(x @ alone).square().mean().backward()
print(torch.allclose(weight.grad, alone.grad, atol=1e-6))
#> True
