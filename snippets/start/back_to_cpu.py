"""NumPy reads host memory only: bring the result back with `.cpu()`.

NumPy 只能读内存：先用 `.cpu()` 把结果拿回来。
"""
# needs: cuda

import torch

scores = torch.tensor([0.25, 0.75], device="cuda")

try:
    scores.numpy()
except TypeError as error:
    print(type(error).__name__)
    #> TypeError

print(scores.cpu().numpy())
#> [0.25 0.75]

# zh: 只要一个数，用 .item()：它自己会拷回来。
# en: For a single number there is .item(), which copies by itself.
print(scores.max().item())
#> 0.75
