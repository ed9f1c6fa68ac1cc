"""`with torch.device("cuda:1")` moves the default, not the current device.

`with torch.device("cuda:1")` 改的是默认设备，不是当前设备。
"""
# needs: cuda:2

import torch

with torch.device("cuda:1"):
    print(torch.ones(2))
    #> tensor([1., 1.], device='cuda:1')
    print(torch.ones(2, device="cuda"))
    #> tensor([1., 1.], device='cuda:0')
    print("current:", torch.cuda.current_device())
    #> current: 0

# zh: 打印出来没有设备的，在 CPU 上。
# en: Printed without a device: on the CPU.
with torch.cuda.device(1):
    print(torch.ones(2))
    #> tensor([1., 1.])
    print(torch.ones(2, device="cuda"))
    #> tensor([1., 1.], device='cuda:1')
    print("current:", torch.cuda.current_device())
    #> current: 1
