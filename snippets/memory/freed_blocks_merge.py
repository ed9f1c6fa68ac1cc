"""Freed blocks stay in the cache, merge with free neighbours, are used again.

释放的块留在缓存里，和相邻的空闲块合并，再次使用。
"""
# needs: cuda
# simulated: no

import torch

MiB = 2**20


def take(size):
    return torch.empty(size, dtype=torch.uint8, device="cuda")


a, b, c = take(4 * MiB), take(4 * MiB), take(2 * MiB)
address = a.data_ptr()
assert b.data_ptr() == address + 4 * MiB

del a, b
print(torch.cuda.memory_allocated() // MiB, "MiB allocated")
print(torch.cuda.memory_reserved() // MiB, "MiB reserved")
assert torch.cuda.memory_reserved() == 20 * MiB

# zh: 8 MiB 放进两个 4 MiB 合成的块，那正是最小的够大的块。
# en: 8 MiB go where two of 4 MiB merged: the smallest block that is enough.
d = take(8 * MiB)
print("at the same address:", d.data_ptr() == address)
assert d.data_ptr() == address
assert torch.cuda.memory_reserved() == 20 * MiB
