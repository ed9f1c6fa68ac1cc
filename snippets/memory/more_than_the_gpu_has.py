"""No unified memory: a tensor that is larger than GPU memory is refused.

不是统一内存：比显存还大的张量建不出来。
"""
# needs: cuda, linux
# simulated: no

import torch

total = torch.cuda.mem_get_info()[1]

try:
    torch.empty(total + 1, dtype=torch.uint8, device="cuda")
except torch.OutOfMemoryError as error:
    print(str(error).split(".")[0])
    assert str(error).startswith("CUDA out of memory")
else:
    raise AssertionError("it was allocated")

# zh: 什么也没有分配，内存里也没有。
# en: Nothing was allocated, nor does it lie in host memory.
print(torch.cuda.memory_allocated())
assert torch.cuda.memory_allocated() == 0
