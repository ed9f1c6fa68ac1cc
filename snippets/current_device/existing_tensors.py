"""Operators run where their tensors are, whatever the current device is.

算子在张量所在的设备上运行，和当前设备无关。
"""
# needs: cuda:2

import torch

x = torch.tensor([1.0, 2.0], device="cuda:0", requires_grad=True)

with torch.cuda.device(1):
    print("current:", torch.cuda.current_device())
    #> current: 1
    y = x * x
    like = torch.zeros_like(x)
    y.sum().backward()

print(y.detach())
#> tensor([1., 4.], device='cuda:0')
print(like)
#> tensor([0., 0.], device='cuda:0')
print(x.grad)
#> tensor([2., 4.], device='cuda:0')
