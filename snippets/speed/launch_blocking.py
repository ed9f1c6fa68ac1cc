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

x = torch.rand(4096, 4096, device="cuda")
table = torch.zeros(10, 4, device="cuda")
index = torch.tensor([3, 10], device="cuda")

# zh: 现在队列是空的。
# en: Now the queue is empty.
assert torch.cuda.current_stream().query()

# zh: 每次启动都等 kernel 算完，所以循环结束时队列已经空了。
# en: Each launch waits for its kernel, so the queue is empty after the loop.
for _ in range(40):
    x @ x
print("GPU still busy:", not torch.cuda.current_stream().query())

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
