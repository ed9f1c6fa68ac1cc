"""`assign=True` puts the tensors of the checkpoint into a meta model.

`assign=True` 把检查点里的张量直接装进 meta 模型。
"""

import torch

checkpoint = torch.nn.Linear(2, 1).double().state_dict()

model = torch.nn.Linear(2, 1, device="meta")
print(model.weight.device)
#> meta
model.load_state_dict(checkpoint, assign=True)

# zh: 设备和数据类型都跟检查点走，而且是同一块内存。
# en: Device and dtype are the checkpoint's, and so is the very memory.
print(model.weight.device, model.weight.dtype)
#> cpu torch.float64
print(model.weight.data_ptr() == checkpoint["weight"].data_ptr())
#> True
print(model.weight.requires_grad)
#> True
