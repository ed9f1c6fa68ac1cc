"""What "cuda" and "cuda:1" mean while the current device is GPU 1.

当前设备是 1 号卡时，"cuda" 和 "cuda:1" 各指哪块。
"""
# needs: cuda:2

import torch

with torch.cuda.device(1):
    bare = torch.ones(2, device="cuda")
    zero = torch.ones(2, device="cuda:0")
    none = torch.ones(2)
outside = torch.ones(2, device="cuda")

print(bare.device, zero.device, none.device, outside.device)
#> cuda:1 cuda:0 cpu cuda:0
