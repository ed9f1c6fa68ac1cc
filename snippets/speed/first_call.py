"""The first call of an operation is slow; warm up before you measure.

同一个算子第一次调用很慢：先预热，再测。
"""
# needs: cuda
# simulated: no
# measures: yes

import torch

begin = torch.cuda.Event(enable_timing=True)
end = torch.cuda.Event(enable_timing=True)

x = torch.rand(1024, 1024, device="cuda")
times = []

for _ in range(5):
    begin.record()
    x @ x
    end.record()
    end.synchronize()
    times.append(begin.elapsed_time(end))

print([f"{ms:.2f} ms" for ms in times])
assert times[0] > 3 * times[-1]
