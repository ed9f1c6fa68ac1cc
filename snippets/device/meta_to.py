"""`.to()` cannot bring a meta model to a real device.

`.to()` 不能把 meta 上的模型变到真实的设备上。
"""

import torch

model = torch.nn.Linear(2, 1, device="meta")

try:
    model.to("cpu")
except NotImplementedError as error:
    print(str(error).split("; ")[0])
    #> Cannot copy out of meta tensor
    print("to_empty()" in str(error))
    #> True
