"""A call costs about the same for 1 number as for 1000.

算 1 个数和算 1000 个数，一次调用花的时间差不多。
"""
# measures: yes

import torch
from torch.utils.benchmark import Timer

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
times = {}

for size in (1, 1000):
    x = torch.ones(size, device=device)
    timer = Timer("x + 1", globals={"x": x})
    times[size] = timer.blocked_autorange(min_run_time=0.2).median
    print(f"{size:4} numbers: {times[size] * 1e6:.1f} us")

# zh: 一次算 1000 个，比算 1000 次快得多。
# en: 1000 numbers at once beat 1000 calls by far.
assert times[1000] < 10 * times[1]
