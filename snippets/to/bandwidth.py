"""Bandwidth from pageable and from pinned memory, by the size of the tensor.

可分页和锁页内存到 GPU 的带宽，随张量大小变化。
"""
# needs: cuda
# simulated: no
# measures: yes

import torch

begin = torch.cuda.Event(enable_timing=True)
end = torch.cuda.Event(enable_timing=True)


def gigabytes_per_second(source, target):
    fastest = float("inf")
    for _ in range(10):
        begin.record()
        target.copy_(source, non_blocking=True)
        end.record()
        end.synchronize()
        fastest = min(fastest, begin.elapsed_time(end))
    return source.nbytes / fastest / 1e6


for kib in (4, 16, 64, 256, 1024, 4096, 16384, 65536, 262144):
    pageable = torch.ones(kib * 256)
    target = torch.empty_like(pageable, device="cuda")
    plain = gigabytes_per_second(pageable, target)
    pinned = gigabytes_per_second(pageable.pin_memory(), target)
    print(f"{kib:6} KiB  pageable {plain:.3f}  pinned {pinned:.3f} GB/s")

assert target.eq(1).all()
assert plain < pinned
