"""`.numpy()` shares memory on the CPU; from the GPU it is a copy.

在 CPU 上 `.numpy()` 与张量共用内存；从 GPU 取回来的是一份拷贝。
"""
# needs: cuda

import torch

x = torch.zeros(2)
x.cpu().numpy()[0] = 5
print(x)
#> tensor([5., 0.])

x.cpu().numpy().copy()[1] = 6
print(x)
#> tensor([5., 0.])

y = torch.zeros(2, device="cuda")
y.cpu().numpy()[0] = 7
print(y)
#> tensor([0., 0.], device='cuda:0')
