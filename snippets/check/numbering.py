"""With two GPUs the last one is `cuda:1`: numbers begin at 0.

有两块 GPU 时，最后一块是 `cuda:1`：编号从 0 开始。
"""
# needs: cuda:2

import torch

print(torch.ones(1, device="cuda:1").device)
#> cuda:1

try:
    torch.ones(1, device="cuda:2")
except RuntimeError as error:
    print(type(error).__name__)
    #> AcceleratorError
    print("invalid device ordinal" in str(error))
    #> True
