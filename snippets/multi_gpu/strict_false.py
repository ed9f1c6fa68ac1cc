"""`strict=False` silences the error about `module.`, and loads nothing.

`strict=False` 让 `module.` 的报错消失，却什么也没有装进去。
"""

import torch
from torch import nn

saved = nn.DataParallel(nn.Linear(2, 1)).state_dict()
model = nn.Linear(2, 1)
before = model.weight.clone()

result = model.load_state_dict(saved, strict=False)
print("unchanged:", torch.equal(model.weight, before))
#> unchanged: True
print("missing:", result.missing_keys)
#> missing: ['weight', 'bias']
print("unexpected:", result.unexpected_keys)
#> unexpected: ['module.weight', 'module.bias']
