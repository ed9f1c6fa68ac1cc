"""What a tiny kernel costs: the CPU, the GPU, and whoever waits for each.

一个很小的核函数要花多久：CPU 启动它，GPU 执行它，每次都等它。
"""
# needs: cuda
# simulated: no
# measures: yes

import time

import numpy as np
import torch

KERNELS = 500
begin = torch.cuda.Event(enable_timing=True)
end = torch.cuda.Event(enable_timing=True)
x = torch.zeros(1000, device="cuda")
large = torch.rand(8192, 8192, device="cuda")
us = {"CPU launches": [], "GPU runs": [], "CPU waits for each": []}


def kernels(after=lambda: None):
    start = time.perf_counter()
    for _ in range(KERNELS):
        x.add_(1)
        after()
    return (time.perf_counter() - start) / KERNELS * 1e6


for _ in range(23):
    # zh: GPU 先忙着，小核函数就都排在队列里，之后一个接一个地执行。
    # en: While the GPU is busy, the kernels queue up; then they run one
    #   after the other.
    large @ large
    begin.record()
    launched = kernels()
    queued_in_time = not begin.query()
    end.record()
    end.synchronize()
    if queued_in_time:
        us["CPU launches"].append(launched)
        us["GPU runs"].append(begin.elapsed_time(end) / KERNELS * 1e3)
    us["CPU waits for each"].append(kernels(torch.cuda.synchronize))

medians = {}
for name, times in us.items():
    # zh: 前三次是预热。
    # en: The first three warm up.
    low, median, high = np.quantile(times[3:], (0.25, 0.5, 0.75))
    print(f"{name}: {median:.3g} ({low:.3g} to {high:.3g}) us")
    medians[name] = median

assert medians["CPU launches"] < medians["CPU waits for each"]
