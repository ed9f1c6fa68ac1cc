"""Pinned memory: sizes are rounded up, and `del` keeps the memory pinned.

锁页内存：大小会向上取整，`del` 之后内存仍然锁着。
"""
# needs: cuda, torch>=2.13
# simulated: no

import torch

MIB = 2**20


def pinned(size):
    return torch.empty(size * MIB, dtype=torch.uint8, pin_memory=True)


def show(when):
    stats = torch.cuda.host_memory_stats()
    in_use = stats["active_bytes.current"] // MIB
    locked = stats["allocated_bytes.current"] // MIB
    print(f"{when:17} in use {in_use:3} MiB, pinned {locked:3} MiB")
    return in_use, locked


# zh: GPU 上有过张量，empty_host_cache() 才起作用。
# en: empty_host_cache() does nothing before the first tensor on the GPU.
torch.ones(1, device="cuda")

x = pinned(65)
address = x.data_ptr()
assert show("65 MiB") == (128, 128)

# zh: 张量没了，内存还锁着，留给下一个取整后同样大的张量。
# en: The tensor is gone. Its memory stays pinned, for the next tensor whose
#   size is rounded up to the same.
del x
assert show("del") == (0, 128)
y = pinned(100)
assert y.data_ptr() == address
assert show("100 MiB") == (128, 128)

# zh: torch.cuda.empty_cache() 只管显存。
# en: torch.cuda.empty_cache() is about GPU memory only.
del y
torch.cuda.empty_cache()
assert show("empty_cache") == (0, 128)
torch.accelerator.empty_host_cache()
assert show("empty_host_cache") == (0, 0)
