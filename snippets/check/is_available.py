"""Whether PyTorch can use a GPU here, and what the build is for.

PyTorch 在这台机器上能不能用 GPU，装的是 CPU 版还是 CUDA 版。
"""

import torch

print(torch.cuda.is_available())
#> False
print(torch.cuda.device_count())
#> 0

# zh: 这个 torch 是为哪个 CUDA 编译的。None 只表示它不是 CUDA 版。
# en: The CUDA this torch was built for. None only means: not a CUDA build.
print(torch.version.cuda)
#> None

# zh: ROCm 版和 XPU 版在这里有版本号。三个都是 None，才是
#   CPU 版，或者是 Mac 的 wheel。
# en: A ROCm or an XPU build has a version here. If all three are None, it
#   is a CPU-only build, or that of a Mac.
print(torch.version.hip, torch.version.xpu)
#> None None
