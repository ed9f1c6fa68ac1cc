"""A default device "cuda" without a number follows the current device.

默认设备设成不带编号的 "cuda"，它就跟着当前设备走。
"""
# needs: cuda:2

import torch

torch.set_default_device("cuda")
print(torch.ones(2))
#> tensor([1., 1.], device='cuda:0')
with torch.cuda.device(1):
    print(torch.ones(2))
    #> tensor([1., 1.], device='cuda:1')

# zh: 有编号就不跟。
# en: With a number it does not follow.
torch.set_default_device("cuda:0")
with torch.cuda.device(1):
    print(torch.ones(2), "current:", torch.cuda.current_device())
    #> tensor([1., 1.], device='cuda:0') current: 1

torch.set_default_device(None)
print(torch.ones(2).device)
#> cpu
