"""Two halves without a division: gradients twice as large.

两个半份，忘了除以份数：梯度大了一倍。
"""

import torch

w = torch.ones(1, requires_grad=True)
x = torch.tensor([1.0, 2.0, 3.0, 4.0])

(w * x).mean().backward()
print("whole batch:     ", w.grad.item())
#> whole batch:      2.5

for parts in (1, 2):
    w.grad = None
    for half in x.chunk(2):
        ((w * half).mean() / parts).backward()
    print(f"halves, over {parts}:  ", w.grad.item())
    #> halves, over 1:   5.0
    #> halves, over 2:   2.5
