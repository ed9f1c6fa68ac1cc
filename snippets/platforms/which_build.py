"""Which build of PyTorch is installed: for NVIDIA, AMD, Intel, or for none.

装的是哪一种 PyTorch：NVIDIA、AMD、Intel，还是都不是。
"""

import torch


def build():
    if torch.version.cuda:
        return f"CUDA {torch.version.cuda}"
    if torch.version.hip:
        return f"ROCm {torch.version.hip}"
    if torch.version.xpu:
        return f"XPU {torch.version.xpu}"
    return "neither CUDA, ROCm nor XPU"


print(build())
#> neither CUDA, ROCm nor XPU
