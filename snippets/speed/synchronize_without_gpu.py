"""Without a GPU there is nothing to wait for, and `synchronize` raises.

没有 GPU 就没有什么可等，`synchronize` 会报错。
"""

import torch

waits = {
    "torch.cuda": torch.cuda.synchronize,
    "torch.accelerator": torch.accelerator.synchronize,
}
for name, wait in waits.items():
    try:
        wait()
    except (AssertionError, RuntimeError):
        print(name, "raises")
        #> torch.cuda raises
        #> torch.accelerator raises
    else:
        print(name, "waits")
