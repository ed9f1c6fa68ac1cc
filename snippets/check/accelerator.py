"""The same question for any vendor: `torch.accelerator`.

不限厂商的同一个问题：`torch.accelerator`。
"""

import torch

# zh: 不写 check_available，得到的只是“编译时支持什么”。
# en: Without check_available this tells only what the build supports.
device = torch.accelerator.current_accelerator(check_available=True)
device = device or torch.device("cpu")

print(device)
#> cpu
print(torch.accelerator.device_count())
#> 0
