"""On a CPU-only build `set_device` fails with an odd AttributeError.

在 CPU 版上，`set_device` 报一个奇怪的 AttributeError。
"""

import torch

print("built with CUDA:", torch.backends.cuda.is_built())
#> built with CUDA: False

try:
    torch.cuda.set_device(0)
except (AttributeError, RuntimeError) as error:
    print(type(error).__name__)
    #> AttributeError
    print("_cuda_setDevice" in str(error))
    #> True
else:
    print("current device:", torch.cuda.current_device())
