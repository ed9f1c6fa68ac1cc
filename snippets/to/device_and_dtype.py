"""Device and dtype in one call: the device comes first.

设备和数据类型一起写：设备在前。
"""
# needs: cuda

import torch

x = torch.tensor([1.5, 2.5])

print(x.to("cuda", torch.float16))
#> tensor([1.5000, 2.5000], device='cuda:0', dtype=torch.float16)
print(x.to(dtype=torch.float16, device="cuda"))
#> tensor([1.5000, 2.5000], device='cuda:0', dtype=torch.float16)

try:
    x.to(torch.float16, "cuda")
except TypeError as error:
    print(str(error).split(" - ")[0])
    #> to() received an invalid combination of arguments
