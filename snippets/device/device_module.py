"""The module of a device: its functions exist for the CPU as well.

设备对应的模块：CPU 也有，同名函数照样能调。
"""

import torch

device = torch.accelerator.current_accelerator(check_available=True)
device = device or torch.device("cpu")

module = torch.get_device_module(device)
print(device, module.__name__)
#> cpu torch.cpu

module.synchronize()
print(module.is_available(), module.device_count())
#> True 1
