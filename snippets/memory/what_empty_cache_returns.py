"""empty_cache() returns segments that are all free, and nothing else.

empty_cache() 只归还整段空闲的；张量和用了一部分的段都不动。
"""
# needs: cuda
# simulated: no

import torch

MiB = 2**20


def take(size):
    return torch.empty(size, dtype=torch.uint8, device="cuda")


def report(what):
    numbers = torch.cuda.memory_allocated(), torch.cuda.memory_reserved()
    allocated, reserved = (number // MiB for number in numbers)
    print(f"{what}: {allocated} MiB allocated, {reserved} MiB reserved")
    return allocated, reserved


a, b, c = take(3 * MiB), take(3 * MiB), take(30 * MiB)
assert report("three tensors") == (36, 50)

del a, c
assert report("two deleted  ") == (3, 50)

torch.cuda.empty_cache()
assert report("empty_cache  ") == (3, 20)

# zh: 最后一个张量走了，那一段才整段空闲。
# en: Only without its last tensor is that segment all unused.
del b
torch.cuda.empty_cache()
assert report("and again    ") == (0, 0)
