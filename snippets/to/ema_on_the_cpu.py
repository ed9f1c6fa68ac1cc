"""An average of the weights on the CPU: equal by default, or an EMA.

CPU 上的权重平均：默认是等权平均，也可以是滑动平均（EMA）。
"""

import torch
from torch import nn
from torch.optim.swa_utils import AveragedModel, get_ema_multi_avg_fn

there = torch.accelerator.current_accelerator(check_available=True)
device = there or torch.device("cpu")
model = nn.Linear(1, 1, bias=False).to(device)
plain = AveragedModel(model, device="cpu")
ema = AveragedModel(model, device="cpu", multi_avg_fn=get_ema_multi_avg_fn(0.9))

for value in (0.0, 0.0, 0.0, 1.0):
    with torch.no_grad():
        model.weight.fill_(value)
    plain.update_parameters(model)
    ema.update_parameters(model)

print(plain.module.weight.device, ema.module.weight.device)
#> cpu cpu
print(f"{plain.module.weight.item():.2f} {ema.module.weight.item():.2f}")
#> 0.25 0.10
