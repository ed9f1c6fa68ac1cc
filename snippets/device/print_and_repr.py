"""A printed tensor names its device unless that is the CPU.

打印张量时，设备不是 CPU 才写出来。
"""

import torch

x = torch.tensor([[1.0, 2.0], [3.0, 4.0]])

print(x)
#> tensor([[1., 2.],
#>         [3., 4.]])
print(x.to("meta"))
#> tensor(..., device='meta', size=(2, 2))

print(x.device)
#> cpu
print(repr(x.device))
#> device(type='cpu')

# zh: 列表和字典打印的是 repr。
# en: A list or a dict prints the repr.
print([x.device])
#> [device(type='cpu')]
