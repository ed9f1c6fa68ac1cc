"""On a CPU-only build `torch.accelerator` raises where `torch.cuda` is quiet.

在 CPU 版上，`torch.cuda` 不作声的地方，`torch.accelerator` 会报错。
"""

import torch

for module in (torch.cuda, torch.accelerator):
    try:
        module.empty_cache()
        print(module.__name__, "is quiet")
        #> torch.cuda is quiet
    except RuntimeError as error:
        print(module.__name__, "raises:", str(error).split(".")[0])
        #> torch.accelerator raises: Cannot access accelerator device when none is available
