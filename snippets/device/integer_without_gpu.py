"""An integer never means the CPU: without an accelerator it is an error.

整数从不指 CPU：没有加速器就报错。
"""

import torch

try:
    print(torch.ones(1, device=0).device)
except RuntimeError as error:
    print(str(error).split(".")[0])
    #> Cannot access accelerator device when none is available

# zh: CPU 上的张量没有编号，get_device() 返回 -1，不能再传给 .to()。
# en: On the CPU there is no number: get_device() is -1, which .to() refuses.
number = torch.ones(1).get_device()
print(number)
#> -1
try:
    torch.ones(1).to(number)
except RuntimeError as error:
    print(error)
    #> Device index must not be negative
