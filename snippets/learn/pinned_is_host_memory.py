"""Pinned memory is still host memory, and pinning is a copy.

锁页内存还是内存，锁页就是一次拷贝。
"""
# needs: cuda

import torch

batch = torch.ones(1000)
pinned = batch.pin_memory()

print(pinned.device, pinned.is_pinned(), pinned is batch)
#> cpu True False
there = pinned.to("cuda", non_blocking=True)
print(there.device, there.sum().item())
#> cuda:0 1000.0
