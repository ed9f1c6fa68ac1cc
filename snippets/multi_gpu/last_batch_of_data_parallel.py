"""DataParallel leaves one GPU with a single sample, and BatchNorm fails.

DataParallel 让一块 GPU 只分到一个样本，BatchNorm 因此报错。
"""

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

GPUS = 4


def shares(**options):
    """What each GPU gets of each batch: DataParallel calls chunk."""
    # zh: 每块 GPU 分到每个 batch 的多少：DataParallel 用的是 chunk。
    data = TensorDataset(torch.randn(101, 3))
    for (x,) in DataLoader(data, batch_size=32, **options):
        yield x.chunk(GPUS)


print([[len(part) for part in batch] for batch in shares()])
#> [[8, 8, 8, 8], [8, 8, 8, 8], [8, 8, 8, 8], [2, 2, 1]]

*_, last = shares()
try:
    nn.BatchNorm1d(3)(last[-1])
except ValueError as error:
    print(error)
    #> Expected more than 1 value per channel when training, got input size torch.Size([1, 3])

complete = list(shares(drop_last=True))
print(len(complete), "batches,", len(complete[-1][-1]), "samples at least")
#> 3 batches, 8 samples at least

print(nn.BatchNorm1d(3).eval()(last[-1]).shape)
#> torch.Size([1, 3])
