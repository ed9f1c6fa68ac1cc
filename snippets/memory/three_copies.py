"""The same 256 MiB copied three ways: over the bus twice, inside the GPU once.

同样 256 MiB 的三种拷贝：两次过总线，一次在显存里。
"""
# needs: cuda
# simulated: no
# measures: yes

import torch

size = 256 * 2**20
pageable = torch.zeros(size, dtype=torch.uint8)
pinned = pageable.pin_memory()
target = torch.empty(size, dtype=torch.uint8, device="cuda")
begin = torch.cuda.Event(enable_timing=True)
end = torch.cuda.Event(enable_timing=True)


def bandwidth(source):
    # zh: 前两次是预热，只留最后一次。
    # en: The first two warm up; the last one counts.
    for _ in range(3):
        begin.record()
        target.copy_(source)
        end.record()
        end.synchronize()
    return size / begin.elapsed_time(end) / 1e6


speeds = [bandwidth(one) for one in (pageable, pinned, target.clone())]
print(f"from pageable memory: {speeds[0]:7.1f} GB/s")
print(f"from pinned memory:   {speeds[1]:7.1f} GB/s")
print(f"inside GPU memory:    {speeds[2]:7.1f} GB/s")
assert speeds[2] > max(speeds[:2])
