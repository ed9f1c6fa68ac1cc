"""Without a GPU there is no pinned memory: one call raises, one only warns.

没有 GPU 就没有锁页内存：有的报错，有的只是警告。
"""

import warnings

import torch
from torch.utils.data import DataLoader

has_gpu = torch.accelerator.is_available()

if not has_gpu:
    try:
        torch.ones(2).pin_memory()
    except RuntimeError as error:
        print(type(error).__name__)
        #> RuntimeError

with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    batch = next(iter(DataLoader(torch.ones(2), pin_memory=True)))
warned = any("no accelerator" in str(warning.message) for warning in caught)
print(warned, batch.is_pinned())
#> True False

# zh: 在任何机器上都能运行的写法。
# en: This runs on any machine.
x = torch.ones(2, pin_memory=has_gpu)
print(x.is_pinned() == has_gpu)
#> True
