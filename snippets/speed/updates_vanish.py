"""Weights in half precision lose small updates.

半精度的权重存不下小的更新。
"""

import torch

for dtype in (torch.float32, torch.float16, torch.bfloat16):
    weight = torch.ones(1, dtype=dtype)
    for _ in range(1000):
        weight -= 1e-4
    print(dtype, f"{weight.item():.3f}")
    #> torch.float32 0.900
    #> torch.float16 1.000
    #> torch.bfloat16 1.000
