"""How much of the GPU's memory is free, with all processes counted.

显存还剩多少，所有进程都算在内。
"""
# needs: cuda
# simulated: no
# measures: yes

import torch

free, total = torch.cuda.mem_get_info()
assert 0 < free <= total

print(f"{free / 2**30:.1f} of {total / 2**30:.1f} GiB free")
