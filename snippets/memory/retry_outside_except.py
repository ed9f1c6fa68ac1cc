"""Does not leak: retry after the except block, where the error is gone.

不泄漏：出了 except 再重试，那时异常已经释放。
"""

import weakref

import torch

alive = []


def step(batch_size):
    activation = torch.rand(batch_size, 4)
    alive.append(weakref.ref(activation))
    if batch_size > 16:
        raise torch.OutOfMemoryError("CUDA out of memory. (raised by hand)")
    return activation.sum()


batch_size = 64
while True:
    try:
        step(batch_size)
        break
    except torch.OutOfMemoryError:
        print(batch_size, "inside except:", alive[-1]() is not None)
        #> 64 inside except: True
        #> 32 inside except: True
    print(batch_size, "after it:", alive[-1]() is not None)
    #> 64 after it: False
    #> 32 after it: False
    batch_size //= 2
print(batch_size, "fits")
#> 16 fits
