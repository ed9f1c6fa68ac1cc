"""A module has no device of its own: ask one of its parameters.

模型没有 device 属性：问它的一个参数。
"""
# needs: cuda:2

import torch

model = torch.nn.Sequential(torch.nn.Linear(2, 2), torch.nn.Linear(2, 1))
print(hasattr(model, "device"))
#> False

model.to("cuda")
print(next(model.parameters()).device)
#> cuda:0

# zh: 各层可以在不同的设备上，第一个参数说明不了全部。
# en: Layers may be on different devices: the first does not tell of all.
model[1].to("cuda:1")
print([str(p.device) for p in model.parameters()])
#> ['cuda:0', 'cuda:0', 'cuda:1', 'cuda:1']
