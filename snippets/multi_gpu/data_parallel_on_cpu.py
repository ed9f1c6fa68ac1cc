"""Without a GPU `DataParallel` does nothing but call the model.

没有 GPU 时，`DataParallel` 只是原样调用模型。
"""
# leaves: environment

import os

import torch

# zh: DataParallel 会用上它可见的 GPU，所以先都藏起来。
# en: DataParallel uses the GPUs that it sees: hide them first.
os.environ["CUDA_VISIBLE_DEVICES"] = "-1"

layer = torch.nn.Linear(4, 2)
model = torch.nn.DataParallel(layer)

print(model.device_ids)
#> []
print(*model.state_dict())
#> module.weight module.bias

x = torch.ones(6, 4)
print(torch.equal(model(x), layer(x)))
#> True
