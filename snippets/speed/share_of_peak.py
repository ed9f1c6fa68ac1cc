"""How much of the peak a training step reaches: count, time and divide.

一步训练达到峰值的几成：数出计算次数，量出用时，再相除。
"""

import torch
from torch import nn
from torch.utils.flop_counter import FlopCounterMode

model = nn.Sequential(nn.Linear(256, 1024), nn.ReLU(), nn.Linear(1024, 256))
x = torch.rand(64, 256)

with FlopCounterMode(display=False) as forward:
    loss = model(x).square().mean()
with FlopCounterMode(display=False) as backward:
    loss.backward()

weights = sum(p.numel() for p in model.parameters() if p.dim() == 2)
steps = {"forward": forward, "backward": backward}
for name, counter in steps.items():
    each = counter.get_total_flops() / (weights * len(x))
    print(f"{name}: {each:g} operations a weight and sample")
    #> forward: 2 operations a weight and sample
    #> backward: 3 operations a weight and sample


def share_of_peak(flops, seconds, peak):
    """`flops` of a step, its time, and the peak in operations a second."""
    # zh: `flops` 是一步的运算量，另外是它的用时，和每秒的峰值。
    return flops / seconds / peak


# zh: 例如：7e9 个权重、每步 8192 个 token、2.5 秒、峰值 312e12。
# en: Say 7e9 weights, 8192 tokens a step, 2.5 seconds, a peak of 312e12.
print(f"{share_of_peak(6 * 7e9 * 8192, 2.5, 312e12):.0%} of the peak")
#> 44% of the peak
