"""`with torch.cuda.device(1)` decides what a bare "cuda" means, nothing else.

`with torch.cuda.device(1)` 只决定不带编号的 "cuda" 指哪块卡。
"""
# needs: cuda:2

import torch

with torch.cuda.device(1):
    # zh: 没有写 device：还是建在 CPU 上。
    # en: No device given: still made on the CPU.
    plain = torch.tensor([1.0, 2.0])
    bare = torch.tensor([1.0, 2.0], device="cuda")
    numbered = torch.tensor([1.0, 2.0], device="cuda:0")

print(plain.device)
#> cpu
print(plain)
#> tensor([1., 2.])
print(bare)
#> tensor([1., 2.], device='cuda:1')
print(numbered)
#> tensor([1., 2.], device='cuda:0')

# zh: 离开 with，当前设备恢复原样。
# en: The current device is back where it was before the block.
print(torch.cuda.current_device())
#> 0
