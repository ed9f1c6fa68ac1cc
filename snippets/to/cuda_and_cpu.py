"""`.cuda()` and `.cpu()` are `.to()` with a fixed kind of device.

`.cuda()` 和 `.cpu()` 就是写死了设备种类的 `.to()`。
"""
# needs: cuda

import torch

x = torch.tensor([1.0, 2.0])

y = x.cuda()
print(y.device)
#> cuda:0
print(y.cuda() is y)
#> True
print(x.cuda(0).device)
#> cuda:0
print(y.cpu())
#> tensor([1., 2.])
print(x.cpu() is x)
#> True

# zh: 与设备无关的代码写不成 .cuda(device)：device 是 cpu 时它会报错。
# en: Device-agnostic code cannot use .cuda(device): it refuses the CPU.
try:
    x.cuda("cpu")
except RuntimeError as error:
    print(str(error).split(",")[0])
    #> Invalid device
