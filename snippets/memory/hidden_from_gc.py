"""What only a graph holds is not among the objects that Python counts.

只有计算图握着的张量，Python 的对象里数不到。
"""

import gc

import torch

x = torch.rand(3, 8, requires_grad=True)
y = torch.nn.functional.layer_norm(x, (8,))


def shapes():
    tensors = [o for o in gc.get_objects() if issubclass(type(o), torch.Tensor)]
    return {tuple(t.shape) for t in tensors}


print((3, 8) in shapes(), (3, 1) in shapes())
#> True False

# zh: 每行的均值留给反向传播用，取出来之后 Python 才看得到。
# en: The mean of each row, kept for backward; asked for, Python sees it.
mean = y.grad_fn._saved_result1
print((3, 8) in shapes(), tuple(mean.shape) in shapes())
#> True True
