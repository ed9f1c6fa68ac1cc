"""A copy on a side stream runs while the main stream computes.

另一条流上的拷贝，和主流的计算同时进行。
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


def copy():
    target.copy_(host, non_blocking=True)


def compute():
    for _ in range(5):
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
    for _ in range(2):
        torch.cuda.synchronize()
        start = time.perf_counter()
        work()
        torch.cuda.synchronize()
        ms[work.__name__] = (time.perf_counter() - start) * 1e3
    print(f"{work.__name__:11} {ms[work.__name__]:6.1f} ms")

assert ms["two_streams"] < 0.9 * ms["one_stream"]
