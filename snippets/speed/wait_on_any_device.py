"""Timing that is right on any device: wait before, wait after.

在任何设备上都对的计时：前面等一次，后面等一次。
"""
# measures: yes

import time

import torch

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


def wait():
    # zh: CPU 上的计算返回时就算完了，不用等。
    # en: What the CPU computes is done when it returns: nothing to wait for.
    if torch.accelerator.is_available():
        torch.accelerator.synchronize()


def milliseconds(work, repeats=20):
    work()
    wait()
    start = time.perf_counter()
    for _ in range(repeats):
        work()
    wait()
    return (time.perf_counter() - start) / repeats * 1e3


small = torch.rand(10, 10, device=device)
large = torch.rand(800, 800, device=device)

times = [milliseconds(lambda x=x: x @ x) for x in (small, large)]
print(device, [f"{ms:.3f} ms" for ms in times])
assert 0 < times[0] < times[1]
