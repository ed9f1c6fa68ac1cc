"""Split over two GPUs: half the weights on each, but no faster.

拆到两块 GPU 上：每块一半的权重，但并不更快。
"""
# needs: cuda:2
# simulated: no
# measures: yes

import time

import torch


def stack(device):
    layers = [torch.nn.Linear(4096, 4096) for _ in range(8)]
    return torch.nn.Sequential(*layers).to(device)


ms = {}
for last in ("cuda:0", "cuda:1"):
    # zh: 第一轮之后 cuBLAS 还占着工作区，所以每轮都重新量一次起点。
    # en: After the first round cuBLAS may hold a workspace: measure anew.
    empty = torch.cuda.memory_allocated(0)
    lower, upper = stack("cuda:0"), stack(last)
    weights = (torch.cuda.memory_allocated(0) - empty) / 2**20
    x = torch.rand(4096, 4096, device="cuda:0")
    with torch.no_grad():
        for _ in range(3):
            start = time.perf_counter()
            upper(lower(x).to(last)).sum().item()
            ms[last] = (time.perf_counter() - start) * 1e3
    print(f"cuda:0 and {last}: {weights:.0f} MiB, {ms[last]:.1f} ms")
    del lower, upper, x

assert ms["cuda:1"] > 0.6 * ms["cuda:0"]
