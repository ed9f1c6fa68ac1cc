"""From 1 MiB to 10 MiB (kMinLargeAlloc), requests share segments of 20 MiB.

大于 1 MiB、不到 10 MiB（kMinLargeAlloc）的申请共用 20 MiB 的段。
"""
# needs: cuda
# simulated: no

import torch

MiB = 2**20


def take(size):
    return torch.empty(size, dtype=torch.uint8, device="cuda")


a = take(MiB + 1)
print(torch.cuda.memory_reserved() // MiB, "MiB for little more than 1")
assert torch.cuda.memory_reserved() == 20 * MiB

b = take(9 * MiB)
c = take(9 * MiB)
print(torch.cuda.memory_reserved() // MiB, "MiB for three")
assert torch.cuda.memory_reserved() == 20 * MiB

# zh: 到 10 MiB 就不再共用，自己一段。
# en: From 10 MiB on a request has a segment of its own.
d = take(10 * MiB)
print(torch.cuda.memory_reserved() // MiB, "MiB with one of 10 MiB")
assert torch.cuda.memory_reserved() == 30 * MiB
