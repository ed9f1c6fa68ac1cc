"""What it costs to pin first: three ways to move the same 256 MiB.

先锁页要花多少时间：移动同样 256 MiB 的三种写法。
"""
# needs: cuda
# simulated: no
# measures: yes

import torch

begin = torch.cuda.Event(enable_timing=True)
end = torch.cuda.Event(enable_timing=True)

x = torch.ones(256, 2**20 // 4)
ready = x.pin_memory()


def measure(name, move):
    # zh: 前两次是预热，只留最后一次的结果。
    # en: The first two warm up; the last one counts.
    for _ in range(3):
        torch.cuda.synchronize()
        begin.record()
        move()
        end.record()
        end.synchronize()
    print(f"{name}: {begin.elapsed_time(end):.1f} ms")


measure("plain      ", lambda: x.to("cuda"))
measure("pin it now ", lambda: x.pin_memory().to("cuda", non_blocking=True))
measure("pinned long", lambda: ready.to("cuda", non_blocking=True))
