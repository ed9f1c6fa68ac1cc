"""A tensor goes from GPU to GPU by its own .to(), with a number.

张量从一块卡到另一块卡，用带编号的 .to()。
"""
# needs: cuda:2

import torch

x = torch.ones(2, device="cuda:0")
with torch.cuda.device(1):
    same = x.to("cuda:0")
    moved = x.to("cuda")

print(same.device, same is x)
#> cuda:0 True
print(moved.device, moved is x)
#> cuda:1 False
