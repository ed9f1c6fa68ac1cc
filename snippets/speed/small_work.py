"""A small product is slower on the GPU, a large one faster.

小的矩阵乘法在 GPU 上更慢，大的才更快。
"""
# needs: cuda
# simulated: no
# measures: yes

import torch
from torch.utils.benchmark import Timer

times = {}

for size in (8, 2048):
    for device in ("cpu", "cuda"):
        x = torch.rand(size, size, device=device)
        timer = Timer(
            "x @ x", globals={"x": x}, num_threads=torch.get_num_threads()
        )
        median = timer.blocked_autorange(min_run_time=0.5).median
        times[size, device] = median
        print(f"{size:4} {device:4} {median * 1e6:9.1f} us")

assert times[8, "cpu"] < times[8, "cuda"]
assert times[2048, "cpu"] > times[2048, "cuda"]
