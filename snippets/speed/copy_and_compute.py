"""A copy on a side stream runs while the main stream computes.

另一条流上的拷贝，和默认流的计算同时进行。
"""
# needs: cuda
# simulated: no
# measures: yes

import time

import torch

side = torch.cuda.Stream()
host = torch.ones(64, 2**20, pin_memory=True)
target = torch.empty_like(host, device="cuda")
x = torch.rand(4096, 4096, device="cuda")


def milliseconds(work):
    # zh: 第一次是预热；取最快的一次，其他程序就影响不大。
    # en: The first run warms up. The fastest counts, so that other
    #   programs hardly matter.
    times = []
    for _ in range(5):
        torch.cuda.synchronize()
        start = time.perf_counter()
        work()
        torch.cuda.synchronize()
        times.append(time.perf_counter() - start)
    return min(times) * 1e3


def copy():
    target.copy_(host, non_blocking=True)


# zh: 计算和拷贝差不多久，重叠才看得清楚。
# en: Overlap shows best where computing takes about as long as the copy.
products = max(1, round(milliseconds(copy) / milliseconds(lambda: x @ x)))


def compute():
    for _ in range(products):
        x @ x


def one_stream():
    copy()
    compute()


def two_streams():
    with torch.cuda.stream(side):
        copy()
    compute()


ms = {}
for work in (copy, compute, one_stream, two_streams):
    ms[work.__name__] = milliseconds(work)
    print(f"{work.__name__:11} {ms[work.__name__]:6.1f} ms")

saved = ms["one_stream"] - ms["two_streams"]
assert saved > 0.3 * min(ms["copy"], ms["compute"])
