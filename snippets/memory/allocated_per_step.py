"""A leak is a rise in every step; without one the steps are level.

泄漏就是每一步都涨；没有泄漏，每一步一样高。
"""
# needs: cuda
# simulated: no

from itertools import pairwise

import torch

model = torch.nn.Linear(1024, 1024).cuda()


def rises(keep):
    kept, sizes = [], []
    for _ in range(6):
        x = torch.rand(1024, 1024, device="cuda")
        loss = model(x).square().mean()
        kept.append(keep(loss))
        del x, loss
        sizes.append(torch.cuda.memory_allocated())
    # zh: 第一步不算：2.14 及更早，它还会留下 cuBLAS 的工作区。
    # en: The first step is left out, because up to torch 2.14 it also leaves
    #   the workspace of cuBLAS behind.
    return [after - before for before, after in pairwise(sizes[1:])]


leaking = rises(lambda loss: loss)
level = rises(lambda loss: loss.item())
# zh: 每一步留下输入和输出，各 4 MiB。
# en: Every step keeps its input and its output, 4 MiB each.
assert all(rise >= 8 * 2**20 for rise in leaking), leaking
assert not any(level), level

print(leaking)
print(level)
