"""`torch.utils.benchmark` warms up, waits and repeats by itself.

`torch.utils.benchmark` 自己会预热、等待、重复。
"""
# measures: yes

import torch
from torch.utils.benchmark import Timer

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
times = {}

for size in (64, 512):
    x = torch.rand(size, size, device=device)
    timer = Timer("x @ x", globals={"x": x})
    measured = timer.blocked_autorange(min_run_time=0.2)
    times[size] = measured.median
    runs = len(measured.times) * measured.number_per_run
    print(f"{size}: median {measured.median * 1e6:.1f} us of {runs} runs")
    assert runs > 1

assert times[64] < times[512]
