"""What may stay on the CPU: a tensor without dimensions, and an index.

可以留在 CPU 上的：零维张量和下标。
"""
# needs: cuda

import torch

x = torch.tensor([10.0, 20.0], device="cuda")

print(x + 1)
#> tensor([11., 21.], device='cuda:0')
print(x + torch.tensor(1.0))
#> tensor([11., 21.], device='cuda:0')
print(x[torch.tensor([1])])
#> tensor([20.], device='cuda:0')

# zh: 只有一个元素，但有一维，就不行。
# en: One element, but one dimension: refused.
try:
    x + torch.tensor([1.0])
except RuntimeError as error:
    print(str(error).split(",")[0])
    #> Expected all tensors to be on the same device
