"""Unused memory after the same requests: by order, and by setting.

同样的申请，换先后、换设置，各剩多少用不上的显存。
"""
# needs: cuda, no-wddm, linux
# simulated: no

import torch

MIB = 2**20
SMALL, LARGE = [40] * 8, [80] * 4


def empty(size):
    return torch.empty(size * MIB, dtype=torch.uint8, device="cuda")


def unused(first, second, expandable):
    torch.cuda.empty_cache()
    settings = f"expandable_segments:{expandable}"
    torch._C._accelerator_setAllocatorSettings(settings)
    tensors = [empty(size) for size in first]
    tensors.clear()
    tensors += [empty(size) for size in second]
    used = sum(x.nbytes for x in tensors) // MIB
    return used, torch.cuda.memory_reserved() // MIB - used


for name, ways in {
    "small first": (SMALL, LARGE, False),
    "large first": (LARGE, SMALL, False),
    "small first, expandable": (SMALL, LARGE, True),
}.items():
    used, rest = unused(*ways)
    print(f"{name}: {used} MiB used, {rest} MiB unused")
    assert (used, rest) == (320, 320 if name == "small first" else 0)
