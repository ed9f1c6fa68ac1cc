"""`to_empty` makes new parameters: build the optimizer afterwards.

`to_empty` 会换成新的参数：优化器要在它之后建。
"""

import torch

model = torch.nn.Linear(2, 1, device="meta")
early = torch.optim.SGD(model.parameters())

model.to_empty(device="cpu")
late = torch.optim.SGD(model.parameters())

for name, optimizer in (("early", early), ("late", late)):
    held = optimizer.param_groups[0]["params"][0]
    print(f"{name}:", held is model.weight, held.device)
    #> early: False meta
    #> late: True cpu
