"""`cudnn.benchmark` tries algorithms once for each shape, and keeps the best.

`cudnn.benchmark` 对每种形状试一遍算法，留下最快的。
"""
# needs: cuda
# simulated: no
# measures: yes

import torch

torch.backends.cudnn.benchmark = True

begin = torch.cuda.Event(enable_timing=True)
end = torch.cuda.Event(enable_timing=True)
conv = torch.nn.Conv2d(64, 64, 3, padding=1).to("cuda")


def milliseconds(size):
    x = torch.rand(16, 64, size, size, device="cuda")
    times = []
    for _ in range(5):
        begin.record()
        conv(x)
        end.record()
        end.synchronize()
        times.append(begin.elapsed_time(end))
    print(size, [f"{ms:.2f}" for ms in times])
    return times


# zh: 第一种形状还要加载库，看后面两种。
# en: The first shape also loads libraries: look at the other two.
for size in (64, 56, 48):
    times = milliseconds(size)
assert times[0] > 3 * min(times[1:])
