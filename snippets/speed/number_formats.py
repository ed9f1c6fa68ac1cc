"""What float32, bfloat16 and float16 can hold.

float32、bfloat16、float16 各能存下什么数。
"""

import torch

for dtype in (torch.float32, torch.bfloat16, torch.float16):
    info = torch.finfo(dtype)
    name = str(dtype).removeprefix("torch.")
    print(f"{name:8} {info.bits} max {info.max:.1e} eps {info.eps:.1e}")
    #> float32  32 max 3.4e+38 eps 1.2e-07
    #> bfloat16 16 max 3.4e+38 eps 7.8e-03
    #> float16  16 max 6.6e+04 eps 9.8e-04

# zh: bfloat16 存得下大数，但大约只有三位有效数字。
# en: bfloat16 holds the large number, but only about three digits of any.
print(torch.tensor(70000.0).to(torch.float16))
#> tensor(inf, dtype=torch.float16)
print(torch.tensor(70000.0).to(torch.bfloat16))
#> tensor(70144., dtype=torch.bfloat16)
print(torch.tensor(257.0).to(torch.float16).item())
#> 257.0
print(torch.tensor(257.0).to(torch.bfloat16).item())
#> 256.0
