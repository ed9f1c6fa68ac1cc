"""Bytes per parameter by data type and optimizer, before any activation.

每个参数占几个字节：由数据类型和优化器决定，激活值另算。
"""

import torch
from torch.optim import SGD, AdamW


def bytes_per_parameter(dtype, optimizer, **options):
    p = torch.nn.Parameter(torch.zeros(1, dtype=dtype))
    p.grad = torch.zeros_like(p)
    chosen = optimizer([p], lr=0.1, **options)
    chosen.step()
    moments = [t for t in chosen.state[p].values() if t is not None and t.ndim]
    return p.nbytes, p.grad.nbytes, sum(t.nbytes for t in moments)


print("SGD", *bytes_per_parameter(torch.float32, SGD))
#> SGD 4 4 0
print("momentum", *bytes_per_parameter(torch.float32, SGD, momentum=0.9))
#> momentum 4 4 4
print("AdamW", *bytes_per_parameter(torch.float32, AdamW))
#> AdamW 4 4 8
print("AdamW, bfloat16", *bytes_per_parameter(torch.bfloat16, AdamW))
#> AdamW, bfloat16 2 2 4
