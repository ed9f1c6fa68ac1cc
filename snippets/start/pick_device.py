"""Pick the device once, at the top of the program.

在程序开头选定一次设备。
"""

import torch

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")

print(device)
#> cpu
