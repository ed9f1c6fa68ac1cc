"""Moving copies: there are two tensors then, one on each side of the bus.

移动就是拷贝：之后有两个张量，总线两边各一个。
"""
# needs: cuda

import torch

host = torch.zeros(3)
device = host.to("cuda")

device += 1
print(host)
#> tensor([0., 0., 0.])
print(device)
#> tensor([1., 1., 1.], device='cuda:0')

# zh: 要让内存里的那个跟上，得再拷一次。
# en: For host memory to follow, it takes another copy.
host.copy_(device)
print(host)
#> tensor([1., 1., 1.])
