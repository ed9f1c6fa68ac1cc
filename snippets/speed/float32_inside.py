"""One part in float32: switch autocast off there, and convert its input.

其中一段要用 float32：在那里关掉 autocast，再转换输入。
"""

import torch

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
a = torch.full((2, 2), 100.0, device=device)

with torch.autocast(device.type, dtype=torch.float16):
    y = a @ a
    product = y @ y
    print(product.dtype, product[0, 0].item())
    #> torch.float16 inf

    with torch.autocast(device.type, enabled=False):
        # zh: y 已经是 float16，关掉 autocast 不会把它变回来。
        # en: y is float16 by now, and autocast off does not change it back.
        product = y.float() @ y.float()
        print(product.dtype, product[0, 0].item())
        #> torch.float32 800000000.0
