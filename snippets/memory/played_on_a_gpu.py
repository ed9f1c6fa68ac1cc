"""The rules on a real GPU: both numbers after each step.

在真正的 GPU 上核对规则：每一步之后看两个数。
"""
# needs: cuda
# simulated: no

import torch

MiB = 2**20
# zh: 名字、大小（MiB，0 是删除）、已分配、已预留。
# en: Name, size (in MiB, 0 deletes), allocated, reserved.
STEPS = [
    ("a", 3, 3, 20),
    ("b", 8, 11, 20),
    ("c", 8.5, 20, 20),
    ("d", 11.5, 32, 32),
    ("e", 0.5, 32.5, 34),
    ("b", 0, 24.5, 34),
    ("f", 8, 32.5, 34),
    ("d", 0, 20.5, 34),
    ("g", 10.5, 31, 34),
    ("c", 0, 22, 34),
    ("g", 0, 11.5, 34),
]

tensors = {}
for name, size, allocated, reserved in STEPS:
    if size:
        number = int(size * MiB)
        tensors[name] = torch.empty(number, dtype=torch.uint8, device="cuda")
    else:
        del tensors[name]
    assert torch.cuda.memory_allocated() == allocated * MiB, name
    assert torch.cuda.memory_reserved() == reserved * MiB, name

torch.cuda.empty_cache()
print(torch.cuda.memory_reserved() // MiB, "MiB reserved in the end")
assert torch.cuda.memory_reserved() == 22 * MiB
