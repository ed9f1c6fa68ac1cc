"""Two events in the queue: the GPU's own clock.

放进队列的两个事件：GPU 自己的时钟。
"""
# needs: cuda
# simulated: no
# measures: yes

import time

import torch

x = torch.rand(4096, 4096, device="cuda")
begin = torch.cuda.Event(enable_timing=True)
end = torch.cuda.Event(enable_timing=True)
# zh: 预热：第一次调用还要加载库、选算法。
# en: Warm up: a first call also loads libraries and chooses algorithms.
x @ x
torch.cuda.synchronize()

start = time.perf_counter()
begin.record()
for _ in range(20):
    x @ x
end.record()
queued = time.perf_counter() - start
end.synchronize()
print(f"queued after {queued * 1e3:.2f} ms")
print(f"done in {begin.elapsed_time(end):.2f} ms")
