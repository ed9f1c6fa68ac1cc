"""What TF32 keeps of a number: 10 bits behind the first one.

一个数在 TF32 里留下什么：首位之后 10 位。
"""

import torch


def tf32(x):
    # zh: float32 有 23 位尾数，去掉最后 13 位（四舍五入）。
    # en: float32 has 23 of these bits: drop the last 13, with rounding.
    bits = x.view(torch.int32) + (1 << 12)
    return (bits & ~((1 << 13) - 1)).view(torch.float32)


x = torch.tensor([1.2345678, 1000.4, 1e38])
for name, y in (("TF32", tf32(x)), ("bfloat16", x.bfloat16().float())):
    error = ((y - x).abs() / x).max().item()
    print(f"{name:8} {y[0].item():.7f} {y[1].item():.1f} {error:.0e}")
    #> TF32     1.2343750 1000.5 2e-04
    #> bfloat16 1.2343750 1000.0 3e-03

# zh: 位数与 float16 相同，范围与 float32 相同。
# en: As many digits as float16, as far as float32.
print(tf32(x[:2]).equal(x[:2].half().float()))
#> True
print(tf32(x).isfinite().all().item(), x.half().isfinite().all().item())
#> True False
