"""A process may reserve a part of GPU memory only; more is refused.

限制一个进程最多预留多少显存，超过就报错。
"""
# needs: cuda
# simulated: no

import torch

torch.cuda.set_per_process_memory_fraction(0.5)
total = torch.cuda.mem_get_info()[1]

try:
    torch.empty(int(0.6 * total), dtype=torch.uint8, device="cuda")
except torch.OutOfMemoryError as error:
    print(type(error).__name__)
else:
    raise AssertionError("0.6 of GPU memory were allocated")

print(torch.cuda.get_per_process_memory_fraction())
assert torch.cuda.get_per_process_memory_fraction() == 0.5
assert torch.cuda.memory_reserved() == 0
