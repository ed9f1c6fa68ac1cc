"""Without a GPU some calls return 0 and others raise.

没有 GPU 时，有的函数返回 0，有的报错。
"""

import torch

print(torch.cuda.memory_allocated())
#> 0

try:
    torch.cuda.get_device_name(0)
except (AssertionError, RuntimeError) as error:
    print(type(error).__name__)
    #> AssertionError

try:
    torch.ones(1).to("cuda")
except (AssertionError, RuntimeError) as error:
    print(type(error).__name__)
    #> AssertionError
