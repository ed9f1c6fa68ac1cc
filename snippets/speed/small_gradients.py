"""A small gradient is 0 in float16; multiplied before, it survives.

太小的梯度在 float16 里变成 0；先乘大，就保得住。
"""

import torch

gradient = torch.tensor(1e-8)
scale = 65536.0

print(gradient.to(torch.float16).item())
#> 0.0
kept = (gradient * scale).to(torch.float16)
print(kept.dtype, f"{kept.item() / scale:.2e}")
#> torch.float16 1.00e-08

# zh: bfloat16 的范围和 float32 一样大，用不着缩放。
# en: bfloat16 has the range of float32 and needs no scaling.
print(f"{gradient.to(torch.bfloat16).item():.2e}")
#> 1.00e-08
