"""Three lines that tell whether PyTorch can use a GPU here.

三行代码，看 PyTorch 在这台机器上能不能用 GPU。
"""

import torch

print(torch.cuda.is_available())
#> False
print(torch.cuda.device_count())
#> 0

# zh: 这个 torch 是用哪个 CUDA 编译的。None：这是 CPU 版。
# en: The CUDA this torch was built with. None: a CPU-only build.
print(torch.version.cuda)
#> None
