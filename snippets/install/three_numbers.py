"""The three CUDA numbers: of this torch, of the driver, of the toolkit.

三个 CUDA 版本号：这个 torch 的、驱动的、工具包的。
"""
# measures: yes

import re
import shutil
import subprocess

import torch


def answer(program: str, pattern: str, *options: str) -> str:
    path = shutil.which(program)
    if path is None:
        return f"none: no {program} here"
    done = subprocess.run([path, *options], capture_output=True, text=True)
    found = re.search(pattern, done.stdout)
    return found[1] if found else f"unknown: {program} does not say"


# zh: 决定能不能用 GPU 的是前两个；工具包只在编译扩展时用到。
# en: The first two decide about the GPU; the toolkit compiles extensions.
print("torch:  ", torch.version.cuda)
print("driver: ", answer("nvidia-smi", r"CUDA (?:UMD )?Version: ([\d.]+)"))
print("toolkit:", answer("nvcc", r"release ([\d.]+)", "--version"))
