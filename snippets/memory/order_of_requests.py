"""The same requests in another order reserve twice as much.

同样的申请换个先后，预留的显存差一倍。
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


def reserved(first, second):
    torch.cuda.empty_cache()
    tensors = [empty(size) for size in first]
    del tensors
    tensors = [empty(size) for size in second]
    total = sum(x.nbytes for x in tensors) // MIB
    return total, torch.cuda.memory_reserved() // MIB


small, large = [40] * 8, [80] * 4
print("small first:", reserved(small, large))
assert reserved(small, large) == (320, 640)
print("large first:", reserved(large, small))
assert reserved(large, small) == (320, 320)
