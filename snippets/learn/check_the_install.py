"""One look at a new installation: does it compute on the GPU?

装完看一眼：能不能在 GPU 上算。
"""

import torch

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")

# zh: 只查版本不够，真的算一次才知道。
# en: A version alone proves little, so compute something.
x = torch.ones(100, 100, device=device)
print("computed on", device, "->", (x @ x).sum().item())
#> computed on cpu -> 1000000.0

if device.type == "cpu":
    # zh: None：这个 wheel 用不了 NVIDIA 的 GPU。
    # en: None: this build can't use an NVIDIA GPU.
    print("built for CUDA", torch.version.cuda)
    #> built for CUDA None
