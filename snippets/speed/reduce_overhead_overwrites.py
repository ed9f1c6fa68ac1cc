"""With `reduce-overhead`, the next call overwrites this call's output.

用 `reduce-overhead` 时，下一次调用会覆盖这一次的输出。
"""
# needs: cuda, sm_70, triton
# simulated: no

import torch


def double(x):
    return x * 2


fast = torch.compile(double, mode="reduce-overhead")
x = torch.ones(3, device="cuda")

# zh: 前几次调用用来预热和录制 CUDA 图。
# en: The first calls warm up and record the CUDA graph.
for _ in range(3):
    fast(x)

first = fast(x)
copy = fast(x).clone()
try:
    fast(x + 1)
    print(first.tolist())
except RuntimeError as error:
    message = str(error)
    print(message.split(". ")[0])
else:
    raise AssertionError("the output of an earlier call can still be read")

assert "overwritten by a subsequent run" in message
print(copy.tolist())
assert copy.tolist() == [2, 2, 2]
