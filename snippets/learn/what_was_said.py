"""Four tensors, each on the device that its line names.

四个张量，各在自己那一行写的设备上。
"""
# needs: cuda:2

import torch

torch.cuda.set_device(1)
a = torch.zeros(1, device="cuda:0")
b = torch.zeros(1, device=torch.device("cuda", 0))
c = torch.zeros(1, device="cpu")
d = torch.zeros_like(a)

print(a.device, b.device, c.device, d.device)
#> cuda:0 cuda:0 cpu cuda:0
