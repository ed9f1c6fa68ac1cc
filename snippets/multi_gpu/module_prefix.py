"""A wrapper puts `module.` before every key: save without it, or strip it.

包装会在每个键前面加 `module.`：保存时别带上，或者加载前去掉。
"""

import torch
from torch import nn

wrapped = nn.DataParallel(nn.Linear(2, 1))
saved = wrapped.state_dict()
print(list(saved))
#> ['module.weight', 'module.bias']
print(list(wrapped.module.state_dict()))
#> ['weight', 'bias']

model = nn.Linear(2, 1)
try:
    model.load_state_dict(saved)
except RuntimeError as error:
    for line in str(error).splitlines():
        print(line.strip())
        #> Error(s) in loading state_dict for Linear:
        #> Missing key(s) in state_dict: "weight", "bias".
        #> Unexpected key(s) in state_dict: "module.weight", "module.bias".

strip = nn.modules.utils.consume_prefix_in_state_dict_if_present
strip(saved, "module.")
print(list(saved))
#> ['weight', 'bias']
print(model.load_state_dict(saved))
#> <All keys matched successfully>
# zh: 有 GPU 时，DataParallel 可能已经把里面的模型移过去了。
# en: With a GPU, DataParallel may have moved the model inside to it.
print(torch.equal(model.weight, wrapped.module.weight.cpu()))
#> True
