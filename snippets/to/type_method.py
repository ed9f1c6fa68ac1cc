"""`.type()` asks without an argument and converts with one.

`.type()` 不带参数是查询，带参数是转换。
"""
# needs: cuda

import torch

x = torch.tensor([1.0, 2.0])
half_on_gpu = torch.zeros(1, dtype=torch.float16, device="cuda")

print(x.type())
#> torch.FloatTensor
print(half_on_gpu.type())
#> torch.cuda.HalfTensor

print(x.type(torch.float64))
#> tensor([1., 2.], dtype=torch.float64)
print(x.type(torch.float32) is x)
#> True
print(x.type("torch.IntTensor"))
#> tensor([1, 2], dtype=torch.int32)

# zh: type_as 连设备一起改，和 x.to(half_on_gpu) 一样。
# en: type_as changes the device as well, like x.to(half_on_gpu).
print(x.type_as(half_on_gpu))
#> tensor([1., 2.], device='cuda:0', dtype=torch.float16)
