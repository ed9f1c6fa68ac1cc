"""A matrix product on the CPU and on the GPU, from small to large.

矩阵乘法从小到大：CPU 和 GPU 各要多久。
"""
# needs: cuda
# simulated: no
# measures: yes

from functools import partial

import numpy as np
import torch
from torch.utils.benchmark import Timer


def there_and_back(x):
    moved = x.to("cuda")
    return (moved @ moved).cpu()


def milliseconds(compute, x):
    timer = Timer(
        "compute(x)",
        globals={"compute": compute, "x": x},
        num_threads=torch.get_num_threads(),
    )
    times = timer.blocked_autorange(min_run_time=0.1).times
    return np.quantile(times, (0.25, 0.5, 0.75)) * 1e3


def shown(name, quartiles):
    low, median, high = quartiles
    return f"{name} {median:.3g} ({low:.3g} to {high:.3g})"


measured = {}
for size in (8, 16, 32, 64, 128, 256, 512, 1024, 2048):
    x = torch.rand(size, size)
    square = partial(torch.linalg.matrix_power, n=2)
    cpu = milliseconds(square, x)
    gpu = milliseconds(square, x.to("cuda"))
    copied = milliseconds(there_and_back, x)
    ms = shown("CPU", cpu), shown("GPU", gpu), shown("copied", copied)
    print(f"{size}:", *ms, "ms")
    measured[size] = cpu[1], gpu[1], copied[1]

assert measured[8][0] < measured[8][1] < measured[8][2]
# zh: 核多的 CPU 可能比“拷过去、算、再拷回来”快，所以这里不比拷贝。
# en: A CPU with many cores may beat the GPU with copies: not asserted.
assert measured[2048][1] < min(measured[2048][0], measured[2048][2])
