"""The moved tensor is no leaf: the gradient arrives where the leaf is.

移过去的张量不是叶子，梯度回到叶子所在的设备上。
"""
# needs: cuda

import torch

w = torch.tensor([1.0, 2.0], requires_grad=True)
on_gpu = w.to("cuda")
print(w.is_leaf, on_gpu.is_leaf)
#> True False

(on_gpu * 3).sum().backward()
print(w.grad)
#> tensor([3., 3.])

# zh: 同一个对象还是叶子；拷贝出来的不是。
# en: The same object is still the leaf; a copy is not.
print(w.to("cpu").is_leaf, w.to("cpu", copy=True).is_leaf)
#> True False
