"""One exception with two names; it is a RuntimeError.

一个异常，两个名字；它是 RuntimeError 的子类。
"""

import torch

print(torch.OutOfMemoryError is torch.cuda.OutOfMemoryError)
#> True
print(torch.OutOfMemoryError.__mro__[1].__name__)
#> RuntimeError
