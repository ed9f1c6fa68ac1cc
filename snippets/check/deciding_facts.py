"""The facts that decide why torch.cuda.is_available() is False.

torch.cuda.is_available() 返回 False 时，决定原因的几个事实。
"""
# measures: yes

import os
import sys

import torch

# zh: 运行的是哪个 Python，导入的是哪个 PyTorch。
# en: Which Python runs, and which PyTorch it imports.
print("Python: ", sys.executable)
print("PyTorch:", torch.__version__, torch.__file__)

# zh: 这个 wheel 是给哪一家的 GPU 编译的。四行都是 None 或 False，才是 CPU 版。
# en: Whose GPUs it was built for. CPU-only: None or False in all four lines.
print("NVIDIA (CUDA):", torch.version.cuda)
print("AMD (ROCm):   ", torch.version.hip)
print("Intel (XPU):  ", getattr(torch.version, "xpu", None))
print("Apple (MPS):  ", torch.backends.mps.is_built())

# zh: None：没有设置。空字符串也算设置了，而且会藏起所有 GPU。
# en: None: not set. An empty string is a value too, and hides every GPU.
print("visible:", repr(os.environ.get("CUDA_VISIBLE_DEVICES")))
