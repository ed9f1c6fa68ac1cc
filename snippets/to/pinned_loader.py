"""Let the DataLoader pin: its batches come in pinned memory.

让 DataLoader 来锁页：它给出的 batch 就在锁页内存里。
"""
# needs: cuda

import torch
from torch.utils.data import DataLoader, TensorDataset

dataset = TensorDataset(torch.arange(4), torch.tensor([0, 1, 0, 1]))
loader = DataLoader(dataset, batch_size=2, pin_memory=True)

for x, target in loader:
    print(x.is_pinned(), target.is_pinned())
    #> True True
    #> True True
    x = x.to("cuda", non_blocking=True)
    target = target.to("cuda", non_blocking=True)
    print(x.tolist(), x.device, target.device)
    #> [0, 1] cuda:0 cuda:0
    #> [2, 3] cuda:0 cuda:0
