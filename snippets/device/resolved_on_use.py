"""Which GPU `torch.device("cuda")` means is decided when it is used.

`torch.device("cuda")` 指哪块 GPU，用的时候才定。
"""
# needs: cuda:2

import torch

device = torch.device("cuda")
x = torch.ones(2)

print(x.to(device).device)
#> cuda:0
with torch.cuda.device(1):
    print(x.to(device).device)
    #> cuda:1
    print(x.cuda().device)
    #> cuda:1

print(device)
#> cuda
