"""Without a GPU `torch.cuda.device(0)` raises, `device_of` does nothing.

没有 GPU 时，`torch.cuda.device(0)` 报错，`device_of` 什么也不做。
"""

import torch

x = torch.arange(3)

with torch.cuda.device_of(x):
    print((x * 2).tolist())
    #> [0, 2, 4]

try:
    with torch.cuda.device(0):
        print(torch.cuda.current_device())
except RuntimeError as error:
    print(type(error).__name__)
    #> RuntimeError
