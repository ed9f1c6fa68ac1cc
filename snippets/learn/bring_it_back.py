"""Three ways back: a copy on the CPU, a NumPy array, a Python number.

回到 CPU 的三种办法：张量、NumPy 数组、Python 的数。
"""

import torch

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")

loss = torch.tensor([1.5, 2.5], device=device, requires_grad=True).mean()

print(loss.detach().cpu().device)
#> cpu
print(loss.detach().cpu().numpy())
#> 2.0
print(loss.item())
#> 2.0
