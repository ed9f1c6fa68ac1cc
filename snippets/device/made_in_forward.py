"""Cause 2: `forward` makes a tensor and does not say where.

原因二：`forward` 里新建张量，没有写设备。
"""
# needs: cuda

import torch


class AddPosition(torch.nn.Module):
    def forward(self, x):
        return x + torch.arange(x.shape[1])


class AddPositionThere(torch.nn.Module):
    def forward(self, x):
        return x + torch.arange(x.shape[1], device=x.device)


x = torch.zeros(1, 3, device="cuda")
try:
    AddPosition()(x)
except RuntimeError as error:
    print(str(error).split(",")[0])
    #> Expected all tensors to be on the same device

print(AddPositionThere()(x))
#> tensor([[0., 1., 2.]], device='cuda:0')
