"""`x.to("cuda")` returns `x` itself only if `x` is on the current GPU.

`x` 就在当前 GPU 上，`x.to("cuda")` 才返回它自己。
"""
# needs: cuda:2

import torch

x = torch.tensor([1.0, 2.0], device="cuda:0")
print(x.to("cuda") is x)
#> True

with torch.cuda.device(1):
    print(x.to("cuda") is x, x.to("cuda"))
    #> False tensor([1., 2.], device='cuda:1')
    print(x.to("cuda:0") is x)
    #> True
