"""Where is the tensor: a comparison that lies, and one that does not.

张量在哪里：一种比较会骗人，另一种不会。
"""
# needs: cuda

import torch

x = torch.ones(1, device="cuda")
print(x.device)
#> cuda:0
print(x.device == torch.device("cuda"))
#> False
print(x.device.type == "cuda", x.is_cuda)
#> True True
