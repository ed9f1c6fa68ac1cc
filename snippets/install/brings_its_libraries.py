"""A CUDA build brings its CUDA libraries: pip installs them with it.

CUDA 版自带 CUDA 库：pip 会把它们一起装上。
"""
# needs: linux

from importlib.metadata import requires

import torch

brought = [
    line.split(";")[0].strip()
    for line in requires("torch") or []
    if line.startswith(("cuda-toolkit", "nvidia-"))
]

# zh: 看名字里有没有 cudnn：驱动和工具包都不给它。
# en: cuDNN is a good witness: neither driver nor toolkit brings it.
print(torch.version.cuda is not None)
#> False
print(any("cudnn" in name for name in brought))
#> False
