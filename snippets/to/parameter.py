"""A Parameter that was moved is a plain tensor, and the module loses it.

移过的 Parameter 只是普通张量，模型就不认它了。
"""
# needs: cuda

import torch

lost = torch.nn.Module()
lost.scale = torch.nn.Parameter(torch.ones(1)).to("cuda")
print(type(lost.scale).__name__, len(list(lost.parameters())))
#> Tensor 0

kept = torch.nn.Module()
kept.scale = torch.nn.Parameter(torch.ones(1, device="cuda"))
print(type(kept.scale).__name__, len(list(kept.parameters())))
#> Parameter 1
print(kept.scale.device)
#> cuda:0
