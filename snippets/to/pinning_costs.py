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
# zh: 预热：显存先分配好，三种写法都用它。
# en: Warm up: have the GPU memory ready that all three use.
x.to("cuda")


def measure(name, move):
    times = []
    for _ in range(3):
        torch.cuda.synchronize()
        begin.record()
        move()
        end.record()
        end.synchronize()
        times.append(begin.elapsed_time(end))
    print(f"{name}: first {times[0]:.1f} ms, third {times[-1]:.1f} ms")


# zh: 第一次要向系统申请锁页内存；PyTorch 会留着它，以后再用。
# en: The first time asks the system for pinned memory; PyTorch keeps it and
#   uses it again.
measure("plain      ", lambda: x.to("cuda"))
measure("pin it now ", lambda: x.pin_memory().to("cuda", non_blocking=True))
ready = x.pin_memory()
measure("pinned long", lambda: ready.to("cuda", non_blocking=True))
