"""What a module's `.to()` refuses: `copy`, and integer types.

模型的 `.to()` 不接受的：`copy`，以及整数类型。
"""

import torch

model = torch.nn.Linear(2, 1)

try:
    model.to("cpu", copy=True)
except RuntimeError as error:
    print(error)
    #> .to() does not accept copy argument

try:
    model.to(torch.int64)
except TypeError as error:
    print(str(error).split(",")[0])
    #> nn.Module.to only accepts floating point or complex dtypes

print(model.weight.dtype)
#> torch.float32
