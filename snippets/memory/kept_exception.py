"""Leaks: an exception holds the frames it went through, and their tensors.

泄漏：异常对象握着它经过的栈帧，也就握着里面的张量。
"""

import weakref

import torch

alive = []


def step():
    activation = torch.rand(8, 4)
    alive.append(weakref.ref(activation))
    raise torch.OutOfMemoryError("CUDA out of memory. (raised by hand)")


try:
    step()
except torch.OutOfMemoryError as error:
    last_error = error

print(alive[0]() is not None)
#> True

del last_error
print(alive[0]() is not None)
#> False
