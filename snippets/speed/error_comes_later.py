"""An error on the GPU is reported at a later line, not where it was made.

GPU 上的错误在后面的某一行才报告，不在犯错的那一行。
"""
# needs: cuda
# simulated: no

import torch

x = torch.rand(4096, 4096, device="cuda")
table = torch.zeros(10, 4, device="cuda")
index = torch.tensor([3, 10], device="cuda")

# zh: 预热：一种 kernel 第一次启动时要先加载，加载可能要等 GPU 空下来。
# en: Warm up: a kernel is loaded when it is first launched, and loading may
#   wait until the GPU is idle.
x @ x
table[index - 1] + 1
torch.cuda.synchronize()

# zh: 现在队列是空的。
# en: Now the queue is empty.
assert torch.cuda.current_stream().query()

# zh: 让 GPU 忙一会儿：出错的查表排在这些计算后面。
# en: Keep the GPU busy: the faulty lookup has to queue behind this.
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
