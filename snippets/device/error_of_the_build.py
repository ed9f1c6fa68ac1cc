"""Without a GPU, the build decides which error `.to("cuda")` raises.

没有 GPU 时，`.to("cuda")` 报哪个错由装的版本决定。
"""

import torch

x = torch.ones(1)

try:
    print("moved to", x.to("cuda").device.type)
except AssertionError as error:
    print("CPU-only build:", error)
    #> CPU-only build: Torch not compiled with CUDA enabled
except RuntimeError as error:
    print("CUDA build:", str(error).split(".")[0])
