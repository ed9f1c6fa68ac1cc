"""Bandwidth between the CPU and the GPU, by the kind of memory and the size.

CPU 和 GPU 之间的带宽，随内存种类和张量大小变化。
"""
# needs: cuda
# simulated: no
# measures: yes

import numpy as np
import torch

begin = torch.cuda.Event(enable_timing=True)
end = torch.cuda.Event(enable_timing=True)


def gigabytes_per_second(source, target):
    rates = []
    for _ in range(33):
        begin.record()
        target.copy_(source, non_blocking=True)
        end.record()
        end.synchronize()
        rates.append(source.nbytes / begin.elapsed_time(end) / 1e6)
    # zh: 前三次是预热。
    # en: The first three warm up.
    return np.quantile(rates[3:], (0.25, 0.5, 0.75))


def shown(name, quartiles):
    low, median, high = quartiles
    return f"{name} {median:.3g} ({low:.3g} to {high:.3g})"


for kib in (4, 16, 64, 256, 1024, 4096, 16384, 65536, 262144):
    pageable = torch.ones(kib * 256)
    pinned = pageable.pin_memory()
    there = torch.zeros_like(pageable, device="cuda")
    to_gpu = [gigabytes_per_second(x, there) for x in (pageable, pinned)]
    to_cpu = [gigabytes_per_second(there, x) for x in (pageable, pinned)]
    for target, (slow, fast) in (("GPU", to_gpu), ("CPU", to_cpu)):
        rates = shown("pageable", slow), shown("pinned", fast)
        print(f"{kib} KiB to the {target}:", *rates, "GB/s")

assert there.eq(1).all()
assert to_gpu[0][1] < to_gpu[1][1]
