"""Four ways to name the device in `.to()`.

在 `.to()` 里写设备的四种方式。
"""
# needs: cuda

import torch

x = torch.tensor([1.0, 2.0])

print(x.to("cuda"))
#> tensor([1., 2.], device='cuda:0')
print(x.to("cuda:0"))
#> tensor([1., 2.], device='cuda:0')
print(x.to(device=torch.device("cuda")))
#> tensor([1., 2.], device='cuda:0')

# zh: 整数是 GPU 的编号。
# en: An integer is the number of a GPU.
y = x.to(0)
print(y)
#> tensor([1., 2.], device='cuda:0')
print(y.to("cuda") is y)
#> True
