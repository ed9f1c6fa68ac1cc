"""Half of a segment is free, and yet a request for a quarter needs more.

一个段空了一半，申请四分之一却还要再分配。
"""
# needs: cuda
# simulated: no

import os

os.environ.pop("PYTORCH_CUDA_ALLOC_CONF", None)
os.environ["PYTORCH_ALLOC_CONF"] = "expandable_segments:False"

import torch

MIB = 2**20


def empty(size):
    return torch.empty(size * MIB, dtype=torch.uint8, device="cuda")


def counters():
    stats = torch.cuda.memory_stats()
    names = ("allocated_bytes", "reserved_bytes", "inactive_split_bytes")
    return [stats[f"{name}.all.current"] // MIB for name in names]


whole = empty(512)
del whole
parts = [empty(64) for _ in range(8)]
assert counters() == [512, 512, 0]

del parts[::2]
print(counters())
assert counters() == [256, 512, 256]

large = empty(128)
print(counters(), large.nbytes // MIB)
assert counters() == [384, 640, 256]
