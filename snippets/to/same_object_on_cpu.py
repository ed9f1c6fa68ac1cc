"""Writing into `x.to(device)` changes `x` on the CPU and not on the GPU.

往 `x.to(device)` 里写：在 CPU 上会改到 `x`，在 GPU 上不会。
"""
# needs: cuda

import torch

for device in ("cpu", "cuda"):
    x = torch.zeros(3)
    y = x.to(device)
    y += 1
    print(device, x.tolist())
    #> cpu [1.0, 1.0, 1.0]
    #> cuda [0.0, 0.0, 0.0]
