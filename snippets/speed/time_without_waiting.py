"""A clock around a GPU call times the launch, not the work.

在 GPU 调用前后看表，量到的是启动，不是计算。
"""
# needs: cuda
# simulated: no
# measures: yes

import time

import torch

begin = torch.cuda.Event(enable_timing=True)
end = torch.cuda.Event(enable_timing=True)
x = torch.rand(4096, 4096, device="cuda")


def work():
    for _ in range(20):
        x @ x


def measure(wait):
    torch.cuda.synchronize()
    start = time.perf_counter()
    work()
    wait()
    return (time.perf_counter() - start) * 1e3


# zh: 预热：第一次调用还要做其他事。
# en: Warm up: a first call has more to do.
work()
not_waited = measure(lambda: None)
waited = measure(torch.cuda.synchronize)

begin.record()
work()
end.record()
end.synchronize()
events = begin.elapsed_time(end)

print(f"did not wait: {not_waited:.2f} ms")
print(f"waited:       {waited:.2f} ms")
print(f"two events:   {events:.2f} ms")
assert not_waited < min(waited, events) / 5
