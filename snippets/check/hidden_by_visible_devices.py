"""CUDA_VISIBLE_DEVICES hides GPUs when it is empty, -1 or a wrong number.

CUDA_VISIBLE_DEVICES 是空值、-1 或不存在的编号时，GPU 就被藏起来了。
"""
# needs: cuda
# simulated: no

import os
import subprocess
import sys

import torch

print("here:", torch.cuda.get_device_properties(0).name)

# zh: 变量在进程第一次用到 CUDA 时才读，所以每个值都用一个新进程来试。
# en: A process reads the variable when it first uses CUDA: a new one for each.
code = "import torch; print(torch.cuda.is_available())"
for value in ("0", "", "-1", "99"):
    env = {**os.environ, "CUDA_VISIBLE_DEVICES": value}
    command = [sys.executable, "-c", code]
    answer = subprocess.check_output(command, env=env, text=True)
    print(repr(value), answer.strip())
