"""Without `assign=True` nothing is loaded, though all keys match.

不写 `assign=True`，键全部对上，却什么也没有装进去。
"""

import warnings

import torch

checkpoint = torch.nn.Linear(2, 1).state_dict()
model = torch.nn.Linear(2, 1, device="meta")

with warnings.catch_warnings(record=True) as caught:
    print(model.load_state_dict(checkpoint))
    #> <All keys matched successfully>

print(model.weight.device)
#> meta
print("which is a no-op" in str(caught[0].message))
#> True
