"""A compiled model has other names in its state_dict.

编译过的模型，state_dict 里的名字变了。
"""

import torch

model = torch.nn.Linear(2, 1)
compiled = torch.compile(model, backend="eager")

print(list(compiled.state_dict()))
#> ['_orig_mod.weight', '_orig_mod.bias']
print(list(model.state_dict()))
#> ['weight', 'bias']
print(compiled.weight is model.weight)
#> True

# zh: 原地编译，名字不变。
# en: Compiled in place, the names stay.
model.compile(backend="eager")
print(list(model.state_dict()))
#> ['weight', 'bias']
