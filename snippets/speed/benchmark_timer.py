"""`torch.utils.benchmark` warms up, waits and repeats by itself.

`torch.utils.benchmark` 自己会预热、等待、重复。
"""
# measures: yes

import torch
from torch.utils.benchmark import Timer

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
times = {}

# zh: 在快的 GPU 上，64 和 512 都只量到启动开销，所以拉开差距。
# en: On a fast GPU 64 and 512 would both measure launch overhead alone.
for size in (64, 2048):
    x = torch.rand(size, size, device=device)
    timer = Timer("x @ x", globals={"x": x})
    measured = timer.blocked_autorange(min_run_time=0.2)
    times[size] = measured.median
    runs = len(measured.times) * measured.number_per_run
    print(f"{size:4}: median {measured.median * 1e6:.1f} us of {runs} runs")

assert times[64] < times[2048]
