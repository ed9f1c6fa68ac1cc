"""A tensor with a gradient has to be detached before `.numpy()`.

带梯度的张量要先 detach，才能 `.numpy()`。
"""
# needs: cuda

import torch

w = torch.tensor([1.0, 2.0], device="cuda", requires_grad=True)
scores = w * 2

# zh: .cpu() 不会断开计算图。
# en: .cpu() does not cut the graph.
print(scores.cpu().requires_grad)
#> True
try:
    scores.cpu().numpy()
except RuntimeError as error:
    print(str(error).split(".")[0])
    #> Can't call numpy() on Tensor that requires grad

print(scores.detach().cpu().numpy())
#> [2. 4.]
print(scores.numpy(force=True))
#> [2. 4.]
