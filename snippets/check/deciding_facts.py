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

# zh: None 和 False：CPU 版。
# en: None and False: a CPU-only build.
print("CUDA it was built for:", torch.version.cuda)
print("built with CUDA:", torch.backends.cuda.is_built())

# zh: None：没有设置。空字符串也是设置了，而且藏起所有 GPU。
# en: None: not set. An empty string is a value too, and hides every GPU.
print("visible:", repr(os.environ.get("CUDA_VISIBLE_DEVICES")))
