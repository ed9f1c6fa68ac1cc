"""Without the `.to()` between the halves, the second one refuses its input.

两段之间少了 `.to()`，第二段就不收这个输入。
"""
# needs: cuda:2

import torch

lower = torch.nn.Linear(4, 8).to("cuda:0")
upper = torch.nn.Linear(8, 2).to("cuda:1")
h = lower(torch.rand(16, 4, device="cuda:0"))

try:
    upper(h)
except RuntimeError as error:
    print(str(error).split(",")[0])
    #> Expected all tensors to be on the same device

print(upper(h.to("cuda:1")).device)
#> cuda:1
