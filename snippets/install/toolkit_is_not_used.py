"""Without a CUDA Toolkit torch works the same: it looks for none.

没有 CUDA Toolkit，torch 照样工作：它根本不去找。
"""

import os
import subprocess
import sys

import torch

# zh: 在看不到工具包的环境里另开一个进程：没有 nvcc，没有 CUDA_HOME。
# en: A process that sees no toolkit: no nvcc, no CUDA_HOME.
code = """
import os, shutil, torch
print(shutil.which("nvcc"), "CUDA_HOME" in os.environ)
device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
print(torch.ones(2, 3, device=device).sum().item())
print(torch.version.cuda)
"""
env = {"PATH": "/nowhere", "SYSTEMROOT": os.environ.get("SYSTEMROOT", "")}
child = subprocess.check_output(
    [sys.executable, "-c", code], env=env, text=True
)

nvcc, total, cuda = child.splitlines()
print(nvcc)
#> None False
print(total)
#> 6.0
print(cuda == str(torch.version.cuda))
#> True
