"""Inside `with torch.device(...)`, what names no device is made there.

在 `with torch.device(...)` 里，没写设备的张量都建在那个设备上。
"""
# needs: cuda

import torch

with torch.device("cuda"):
    x = torch.ones(2)
    model = torch.nn.Linear(2, 1)
    # zh: 写明的 device= 优先；嵌套时最里面的一层优先。
    # en: An explicit device= wins; of nested blocks the innermost does.
    explicit = torch.ones(2, device="cpu")
    with torch.device("cpu"):
        inner = torch.ones(2)

print(x.device, model.weight.device)
#> cuda:0 cuda:0
print(explicit.device)
#> cpu
print(inner.device)
#> cpu
print(torch.ones(2).device)
#> cpu
