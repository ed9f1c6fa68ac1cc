"""CUDA_VISIBLE_DEVICES hides GPUs when it is -1, a wrong number or empty.

CUDA_VISIBLE_DEVICES 是 -1、不存在的编号或空值时，GPU 就被藏起来了。
"""
# needs: cuda
# simulated: no

import os
import subprocess
import sys

import torch

print("here:", torch.cuda.get_device_properties(0).name)

values = ["0", "-1", "99"]
if sys.platform != "win32":
    # zh: 在 Windows 上，空值等于没有设置，所以只在其他系统上试。
    # en: On Windows an empty value counts as not set: try it elsewhere only.
    values.append("")

# zh: 变量在进程第一次用到 CUDA 时才读，所以每个值都用一个新进程来试。
# en: A process reads the variable when it first uses CUDA: a new one for each.
code = "import torch; print(torch.cuda.is_available())"
for value in values:
    env = {**os.environ, "CUDA_VISIBLE_DEVICES": value}
    command = [sys.executable, "-c", code]
    answer = subprocess.check_output(command, env=env, text=True)
    print(repr(value), answer.strip())
