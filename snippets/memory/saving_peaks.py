"""The peak of a training step in MiB, with each way to save memory.

一步训练的显存峰值（MiB）：每种省显存的办法各一次。
"""
# needs: cuda
# simulated: no

from contextlib import nullcontext
from functools import partial

import torch
from torch import nn, utils

pairs = [(nn.Linear(256, 256), nn.GELU()) for _ in range(16)]
model = nn.Sequential(*[layer for pair in pairs for layer in pair]).cuda()
x = torch.rand(8192, 256, device="cuda")
again = partial(utils.checkpoint.checkpoint_sequential, model, 4)
# zh: 两种半精度占的字节一样；旧的 GPU 没有 bfloat16 的硬件。
# en: Both half precisions have two bytes; old GPUs lack bfloat16.
dtype = torch.bfloat16
if torch.cuda.get_device_capability() < (8, 0):
    dtype = torch.float16
half = partial(torch.autocast, "cuda", dtype)


def step(context=nullcontext, forward=model, parts=1, **options):
    model.zero_grad()
    torch.cuda.reset_peak_memory_stats()
    for part in x.chunk(parts):
        with context():
            loss = forward(input=part, **options).float().square().mean()
        (loss / parts).backward()
    return torch.cuda.max_memory_allocated()


peaks = {}
for name, way in {
    "plain": {},
    "autocast": {"context": half},
    "four parts": {"parts": 4},
    "checkpointing": {"forward": again, "use_reentrant": False},
    "offload": {"context": torch.autograd.graph.save_on_cpu},
}.items():
    step(**way)
    peaks[name] = step(**way)
    print(f"{name}: {peaks[name] / 2**20:.0f} MiB")

assert all(peak < 0.9 * peaks["plain"] for peak in list(peaks.values())[1:])
