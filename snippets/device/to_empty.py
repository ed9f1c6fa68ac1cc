"""`to_empty` allocates; the numbers must then be set.

`to_empty` 只分配空间，数值要接着自己填。
"""

import torch

torch.manual_seed(0)
usual = torch.nn.Linear(2, 1)

model = torch.nn.Linear(2, 1, device="meta")
print(model.weight.device)
#> meta
model.to_empty(device="cpu")
print(model.weight.device)
#> cpu

# zh: 到这里数值是任意的；reset_parameters 按平常的办法初始化。
# en: So far the numbers are arbitrary; reset_parameters initialises as usual.
torch.manual_seed(0)
model.reset_parameters()
print(torch.equal(model.weight, usual.weight))
#> True
