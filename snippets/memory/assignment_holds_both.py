"""Assigning again makes the new tensor before the old one is freed.

再次赋值时，先建新张量，后释放旧的。
"""
# needs: cuda
# simulated: no

import torch

MiB = 2**20


def take(size):
    return torch.empty(size, dtype=torch.uint8, device="cuda")


x = take(12 * MiB)
x = take(12 * MiB)
print(torch.cuda.max_memory_allocated() // MiB, "MiB at the peak")
assert torch.cuda.max_memory_allocated() == 24 * MiB

# zh: 先 del，峰值就只有一个。
# en: After del there is only one at a time.
torch.cuda.reset_peak_memory_stats()
del x
x = take(12 * MiB)
print(torch.cuda.max_memory_allocated() // MiB, "MiB with del first")
assert torch.cuda.max_memory_allocated() == 12 * MiB
