"""When `.to("cuda")` returns, and when the copy is done.

`.to("cuda")` 何时返回，拷贝何时完成。
"""
# needs: cuda
# simulated: no
# measures: yes

import time

import torch

begin = torch.cuda.Event(enable_timing=True)
end = torch.cuda.Event(enable_timing=True)

pageable = torch.ones(256, 2**20 // 4)
pinned = pageable.pin_memory()


def measure(name, x, non_blocking):
    # zh: 前两次是预热，只留最后一次的结果。
    # en: The first two warm up; the last one counts.
    for _ in range(3):
        torch.cuda.synchronize()
        start = time.perf_counter()
        begin.record()
        x.to("cuda", non_blocking=non_blocking)
        end.record()
        returned = (time.perf_counter() - start) * 1e3
        end.synchronize()
        done = begin.elapsed_time(end)
    print(f"{name}: returned {returned:.2f} ms, done {done:.2f} ms")


measure("pageable              ", pageable, False)
measure("pageable, non_blocking", pageable, True)
measure("pinned                ", pinned, False)
measure("pinned, non_blocking  ", pinned, True)
