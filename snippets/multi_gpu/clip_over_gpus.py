"""Clip the gradients of a split model: one norm over both GPUs.

裁剪拆开的模型的梯度：两块 GPU 合起来算一个范数。
"""
# needs: cuda:2

import torch

a = torch.nn.Parameter(torch.zeros(1, device="cuda:0"))
b = torch.nn.Parameter(torch.zeros(1, device="cuda:1"))
(3 * a).backward()
(4 * b).backward()

norm = torch.nn.utils.clip_grad_norm_([a, b], max_norm=1.0)
print(norm.device, norm.item())
#> cuda:0 5.0
print(*[f"{p.grad.item():.1f} on {p.grad.device}" for p in (a, b)])
#> 0.6 on cuda:0 0.8 on cuda:1
