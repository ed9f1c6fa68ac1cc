"""With CUDA_LAUNCH_BLOCKING=1 the error comes at the line that made it.

设了 CUDA_LAUNCH_BLOCKING=1，报错就在犯错的那一行。
"""
# needs: cuda
# simulated: no

import os

# zh: 要在用到 CUDA 之前设好；一般在命令行里设。
# en: It has to be set before CUDA is used; usually on the command line.
os.environ["CUDA_LAUNCH_BLOCKING"] = "1"

import torch

before = torch.cuda.Event()
x = torch.rand(4096, 4096, device="cuda")
table = torch.zeros(10, 4, device="cuda")
index = torch.tensor([3, 10], device="cuda")

for _ in range(20):
    x @ x
before.record()
print("GPU still busy:", not before.query())

try:
    line = "look up"
    rows = table[index]
    line = "add one"
    rows = rows + 1
    line = "synchronize"
    torch.cuda.synchronize()
except RuntimeError as error:
    print(type(error).__name__, "at:", line)
    print("device-side assert" in str(error))
