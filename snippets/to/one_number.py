"""`.item()` gives one Python number, `.tolist()` all of them, from any device.

`.item()` 取一个数，`.tolist()` 取全部，张量在哪个设备上都行。
"""
# needs: cuda

import torch

x = torch.tensor([1, 2, 3], device="cuda")

print(x.sum().item())
#> 6
print(x.tolist())
#> [1, 2, 3]

try:
    x.item()
except RuntimeError as error:
    print(error)
    #> a Tensor with 3 elements cannot be converted to Scalar
