"""A small gradient in float16, with a scaled loss, and in bfloat16.

很小的梯度：float16、放大损失之后的 float16、bfloat16。
"""

import torch

small = 1e-8
SCALE = 2**16

print("float16: ", torch.tensor(small, dtype=torch.float16).item())
#> float16:  0.0
scaled = torch.tensor(small * SCALE, dtype=torch.float16)
print(f"scaled:   {scaled.float().item() / SCALE:.0e}")
#> scaled:   1e-08
print(f"bfloat16: {torch.tensor(small, dtype=torch.bfloat16).item():.0e}")
#> bfloat16: 1e-08
