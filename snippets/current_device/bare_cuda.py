"""`torch.device("cuda")` has no number: it is the current device, not card 0.

`torch.device("cuda")` 没有编号：指的是当前设备，不是 0 号卡。
"""
# needs: cuda:2

import torch

device = torch.device("cuda")
print("number:", device.index)
#> number: None

# zh: 同一个 device，用到它时才看当前设备。
# en: The same device, looked up anew each time it is used.
print(torch.ones(2, device=device))
#> tensor([1., 1.], device='cuda:0')
torch.cuda.set_device(1)
print(torch.ones(2, device=device))
#> tensor([1., 1.], device='cuda:1')
