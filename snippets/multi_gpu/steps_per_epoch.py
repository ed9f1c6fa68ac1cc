"""`batch_size` counts per process: two halve the steps of an epoch.

`batch_size` 是每个进程的：两个进程，一轮的步数减半。
"""

import torch
from torch.utils.data import DataLoader, DistributedSampler

data = torch.arange(960)

for processes in (1, 2):
    sampler = DistributedSampler(data, num_replicas=processes, rank=0)
    loader = DataLoader(data, batch_size=32, sampler=sampler)
    samples = processes * len(next(iter(loader)))
    print(f"{processes}: {len(loader)} steps of {samples} samples")
    #> 1: 30 steps of 32 samples
    #> 2: 15 steps of 64 samples
