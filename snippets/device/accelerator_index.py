"""Count, choose and name the accelerators without writing `cuda`.

不写 `cuda`，也能数、选和指定加速器。
"""
# needs: cuda:2

import torch

print(torch.accelerator.device_count())
#> 2
print(torch.accelerator.current_device_index())
#> 0

torch.accelerator.set_device_index(1)
kind = torch.accelerator.current_accelerator().type
print(torch.ones(1, device=kind).device)
#> cuda:1

with torch.accelerator.device_index(0):
    print(torch.ones(1, device=kind).device)
    #> cuda:0
print(torch.accelerator.current_device_index())
#> 1
