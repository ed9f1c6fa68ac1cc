"""Not unified memory: beyond the limit it raises, and the host does not help.

不是统一内存：超过上限就报错，不会改用主机内存。
"""
# needs: cuda
# simulated: no

import torch

# zh: 不设上限（1.0 也是不设），就由驱动决定：
#   Linux 上报错，Windows 和 WSL2 上可能借用内存。
# en: Without a limit (1.0 is none either) the driver decides: on Linux it
#   refuses, on Windows and WSL2 it may lend host memory.
torch.cuda.set_per_process_memory_fraction(0.9)
total = torch.cuda.mem_get_info()[1]

try:
    torch.empty(total + 1, dtype=torch.uint8, device="cuda")
except torch.OutOfMemoryError as error:
    print(str(error).split(".")[0])
    assert str(error).startswith("CUDA out of memory")
else:
    raise AssertionError("it was allocated")

# zh: 什么也没有分配，内存里也没有。
# en: Nothing was allocated, not in host memory either.
print(torch.cuda.memory_allocated())
assert torch.cuda.memory_allocated() == 0
