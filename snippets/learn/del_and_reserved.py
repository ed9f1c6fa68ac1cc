"""`del` frees a tensor, and the allocator keeps its memory for the next one.

`del` 释放张量，显存还留在分配器手里，给下一个张量用。
"""
# needs: cuda
# simulated: no

import torch

MiB = 2**20


def report(what):
    allocated = torch.cuda.memory_allocated() // MiB
    reserved = torch.cuda.memory_reserved() // MiB
    print(f"{what:12} {allocated:4} MiB allocated, {reserved:4} MiB reserved")
    return allocated, reserved


x = torch.empty(100 * MiB, dtype=torch.uint8, device="cuda")
assert report("created") == (100, 100)
del x
assert report("del") == (0, 100)
y = torch.empty(60 * MiB, dtype=torch.uint8, device="cuda")
assert report("a smaller y") == (60, 100)
del y
torch.cuda.empty_cache()
assert report("empty_cache") == (0, 0)
