"""`print(x.device)` prints `cpu`; `device(type='cpu')` is its repr.

`print(x.device)` 打印 `cpu`；`device(type='cpu')` 是它的 repr。
"""

import torch

x = torch.ones(2)

print(x.device)
#> cpu
print(repr(x.device))
#> device(type='cpu')

# zh: 列表和字典打印的是 repr。
# en: A list or a dict prints the repr.
print([x.device])
#> [device(type='cpu')]
