"""The names in a checkpoint, after two ways to compile a model.

用两种方式编译模型之后，检查点里的名字。
"""

import torch

model = torch.nn.Linear(2, 3)
other = torch.compile(model, backend="eager")
print(list(other.state_dict()))
#> ['_orig_mod.weight', '_orig_mod.bias']

model.compile(backend="eager")
print(list(model.state_dict()))
#> ['weight', 'bias']
