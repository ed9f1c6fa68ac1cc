"""Two backward passes without zero_grad: the gradients add up.

两次反向传播之间不清零，梯度会累加。
"""

import torch

w = torch.ones(1, requires_grad=True)

(3 * w).sum().backward()
print(w.grad.item())
#> 3.0
(3 * w).sum().backward()
print(w.grad.item())
#> 6.0
