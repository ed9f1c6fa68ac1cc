"""A cached block serves only the stream that it was allocated on.

缓存里的块只给分配它的那个流用。
"""
# needs: cuda
# simulated: no

import torch

MiB = 2**20
side = torch.cuda.Stream()


def take(size):
    return torch.empty(size, dtype=torch.uint8, device="cuda")


a = take(30 * MiB)
del a
print(torch.cuda.memory_reserved() // MiB, "MiB reserved, all of it free")

with torch.cuda.stream(side):
    b = take(30 * MiB)
print(torch.cuda.memory_reserved() // MiB, "MiB reserved by two streams")
assert torch.cuda.memory_reserved() == 60 * MiB

# zh: 默认流上再申请，用的是它自己的那一段。
# en: The default stream takes its own segment again.
c = take(30 * MiB)
assert torch.cuda.memory_reserved() == 60 * MiB
assert torch.cuda.memory_allocated() == 60 * MiB
