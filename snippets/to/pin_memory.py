"""`pin_memory()` copies into pinned host memory; both kinds go to the GPU.

`pin_memory()` 拷贝到锁页内存；两种内存里的张量都能移到 GPU。
"""
# needs: cuda

import torch

x = torch.tensor([1.0, 2.0])
pinned = x.pin_memory()

print(x.is_pinned(), pinned.is_pinned())
#> False True
print(pinned is x, pinned.device)
#> False cpu
print(x.to("cuda"))
#> tensor([1., 2.], device='cuda:0')
print(pinned.to("cuda", non_blocking=True))
#> tensor([1., 2.], device='cuda:0')

# zh: 已经锁页的不会再拷一次；也可以直接建成锁页的。
# en: What is pinned is not copied again; it can also be made pinned.
print(pinned.pin_memory() is pinned)
#> True
print(torch.empty(2, pin_memory=True).is_pinned())
#> True
