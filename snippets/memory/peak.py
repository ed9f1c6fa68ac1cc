"""The peak counts what is gone again: temporary tensors.

峰值也算已经消失的：临时张量。
"""
# needs: cuda
# simulated: no

import torch

MiB = 2**20
x = torch.zeros(MiB, device="cuda")


def peak_of(step):
    torch.cuda.reset_peak_memory_stats()
    before = torch.cuda.memory_allocated()
    step()
    return (torch.cuda.max_memory_allocated() - before) // MiB


print(x.nbytes // MiB, "MiB is the size of x")
results = {
    "x + 1": peak_of(lambda: x + 1),
    "x * 2 + 1": peak_of(lambda: x * 2 + 1),
    "x.mul_(2).add_(1)": peak_of(lambda: x.mul_(2).add_(1)),
}
for step, peak in results.items():
    print(f"{peak} MiB more at the peak of {step}")
assert list(results.values()) == [4, 8, 0]
assert torch.cuda.memory_allocated() == 4 * MiB
