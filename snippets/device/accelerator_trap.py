"""Without `check_available`, the build answers and not the machine.

不写 `check_available`，回答的是安装的版本，不是这台机器。
"""

import torch

cpu = torch.device("cpu")

careless = torch.accelerator.current_accelerator() or cpu
careful = torch.accelerator.current_accelerator(check_available=True) or cpu

print("careless:", careless)
#> careless: cpu
print("careful:", careful)
#> careful: cpu
