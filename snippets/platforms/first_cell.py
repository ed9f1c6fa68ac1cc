"""On a rented machine, first: is there an accelerator that torch can use?

租来的机器上先运行这一段：有没有加速器，torch 能不能用它。
"""

import torch

device = torch.accelerator.current_accelerator(check_available=True)
print("accelerator:", device)
#> accelerator: None

if device is None:
    print("switch it on, then restart the notebook")
    #> switch it on, then restart the notebook
else:
    # zh: 真的算一次，因为 is_available() 不检查 wheel 里有没有这块 GPU 的代码。
    # en: Compute: is_available() does not check what the wheel has code for.
    x = torch.ones(2, 2, device=device)
    print((x @ x).sum().item())
