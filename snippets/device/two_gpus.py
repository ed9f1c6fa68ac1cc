"""Cause 5: two tensors on two GPUs. GPUs do not mix, either.

原因五：两个张量在两块 GPU 上。GPU 之间同样不能混用。
"""
# needs: cuda:2

import torch

device_ids = list(range(torch.cuda.device_count()))
x = torch.ones(2, device=device_ids[0])
y = torch.ones(2, device=device_ids[1])

try:
    x + y
except RuntimeError as error:
    print(str(error).split(",")[0])
    #> Expected all tensors to be on the same device

print((x + y.to(x.device)).device)
#> cuda:0
