"""New tensors can follow another one, so that no device has to be written.

新张量可以跟着另一个张量走，不用写设备。
"""

import torch

x = torch.ones(2, device="meta")

print(torch.zeros_like(x).device, x.new_zeros(3).device)
#> meta meta
print(torch.zeros(3).device)
#> cpu
