"""Peak memory and time of a training step, with each way of saving.

一步训练的显存峰值和用时：每种省显存的办法各测一次。
"""
# needs: cuda
# simulated: no
# measures: yes

from contextlib import nullcontext
from functools import partial
from time import perf_counter

import torch
from torch import nn, utils

pairs = [(nn.Linear(1024, 1024), nn.GELU()) for _ in range(16)]
model = nn.Sequential(*[layer for pair in pairs for layer in pair]).cuda()
x = torch.rand(16384, 1024, device="cuda")
again = partial(utils.checkpoint.checkpoint_sequential, model, 4)
# zh: 两种半精度占的字节一样；旧的 GPU 没有 bfloat16 的硬件。
# en: Both half precisions have two bytes; old GPUs lack bfloat16.
dtype = torch.bfloat16
if torch.cuda.get_device_capability() < (8, 0):
    dtype = torch.float16
half = partial(torch.autocast, "cuda", dtype)


def step(context=nullcontext, forward=model, parts=1, **options):
    model.zero_grad()
    torch.cuda.synchronize()
    torch.cuda.reset_peak_memory_stats()
    start = perf_counter()
    for part in x.chunk(parts):
        with context():
            loss = forward(input=part, **options).float().square().mean()
        (loss / parts).backward()
    torch.cuda.synchronize()
    return torch.cuda.max_memory_allocated(), perf_counter() - start


for name, way in {
    "plain": {},
    "autocast": {"context": half},
    "four parts": {"parts": 4},
    "checkpointing": {"forward": again, "use_reentrant": False},
    "offload": {"context": torch.autograd.graph.save_on_cpu},
}.items():
    step(**way)
    peak, seconds = step(**way)
    print(f"{name}: {peak / 2**20:.0f} MiB, {seconds * 1e3:.1f} ms")
    assert name == "plain" or peak < 0.9 * step()[0], name
