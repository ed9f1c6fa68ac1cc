"""Batches of changing length: the peak of each step, and what is reserved.

长度变来变去的 batch：每一步的峰值，和预留的显存。
"""
# needs: cuda, no-wddm, linux
# simulated: no

import torch
from torch import nn

MIB = 2**20
LENGTHS = (512, 640, 576, 768, 704, 896, 832, 1024)


def train(expandable):
    torch.cuda.empty_cache()
    settings = f"expandable_segments:{expandable}"
    torch._C._accelerator_setAllocatorSettings(settings)
    pairs = [(nn.Linear(256, 1024), nn.Linear(1024, 256)) for _ in range(4)]
    model = nn.Sequential(*[layer for pair in pairs for layer in pair]).cuda()
    for length in LENGTHS:
        torch.cuda.reset_peak_memory_stats()
        x = torch.rand(8 * length, 256, device="cuda")
        model(x).square().mean().backward()
        model.zero_grad()
        peak = torch.cuda.max_memory_allocated()
        yield peak // MIB, torch.cuda.memory_reserved() // MIB


by_default, expandable = list(train(False)), list(train(True))
for number in range(len(LENGTHS)):
    peak, reserved = by_default[number]
    other = expandable[number][1]
    print(f"{number + 1}: peak {peak}, reserved {reserved}, {other} MiB")

assert expandable[-1][1] < by_default[-1][1]
