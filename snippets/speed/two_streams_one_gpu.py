"""Two streams do not make large kernels faster: one fills the GPU.

两条流不会让大的 kernel 更快：一个就占满了 GPU。
"""
# needs: cuda
# simulated: no
# measures: yes

import time

import torch

side = torch.cuda.Stream()
x = torch.rand(4096, 4096, device="cuda")


def product(repeats):
    for _ in range(repeats):
        x @ x


def one_stream():
    product(20)


def two_streams():
    with torch.cuda.stream(side):
        product(10)
    product(10)


ms = {}
for work in (one_stream, two_streams):
    times = []
    for _ in range(5):
        torch.cuda.synchronize()
        start = time.perf_counter()
        work()
        torch.cuda.synchronize()
        times.append((time.perf_counter() - start) * 1e3)
    ms[work.__name__] = min(times)
    print(f"{work.__name__:11} {ms[work.__name__]:6.1f} ms")

assert ms["two_streams"] > 0.6 * ms["one_stream"]
