"""Checkpointing runs BatchNorm twice, so its running mean is updated twice.

激活重计算让 BatchNorm 运行两次，滑动平均值也就更新两次。
"""

import torch
from torch.utils.checkpoint import checkpoint

x = torch.rand(8, 3)


def after_one_step(run):
    torch.manual_seed(0)
    layer = torch.nn.Linear(3, 2)
    norm = torch.nn.BatchNorm1d(2)
    run(torch.nn.Sequential(layer, norm), x).square().mean().backward()
    return layer.weight.grad, norm


grad, norm = after_one_step(lambda block, x: block(x))
again, twice = after_one_step(
    lambda block, x: checkpoint(block, x, use_reentrant=False)
)

print(torch.equal(grad, again))
#> True
print(norm.num_batches_tracked.item(), twice.num_batches_tracked.item())
#> 1 2
# zh: 默认每次向这个 batch 的平均值靠近一成，两次就是一成九。
# en: By default each run moves it a tenth towards this batch: 0.19 in two.
ratio = twice.running_mean / norm.running_mean
print([round(r, 3) for r in ratio.tolist()])
#> [1.9, 1.9]

# zh: 动量减成 1 - sqrt(0.9)，两次合起来就和原来的一次相同。
# en: With a momentum of 1 - sqrt(0.9), two runs do what one did before.
norm.reset_running_stats()
norm(x[:, :2])
twice.reset_running_stats()
twice.momentum = 1 - 0.9**0.5
twice(x[:, :2])
twice(x[:, :2])
print(torch.allclose(norm.running_mean, twice.running_mean))
#> True
