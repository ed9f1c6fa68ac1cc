"""Gradient accumulation with a GradScaler: scale each part, step once.

梯度累积加 GradScaler：每一份都要缩放，更新只做一次。
"""

import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
x = torch.linspace(-1, 1, 64, device=device).unsqueeze(1)
target = 3 * x + 1


def weight_after_a_step(parts):
    torch.manual_seed(0)
    model = nn.Linear(1, 1).to(device)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    scaler = torch.amp.GradScaler(device.type, init_scale=1024)
    pairs = zip(x.chunk(parts), target.chunk(parts), strict=True)
    for inputs, targets in pairs:
        with torch.autocast(device.type, dtype=torch.float16):
            loss = nn.functional.mse_loss(model(inputs), targets)
        scaler.scale(loss / parts).backward()
    # zh: 所有份都算完之后，这几行才执行一次。
    # en: These lines run once, after all parts.
    scaler.unscale_(optimizer)
    nn.utils.clip_grad_norm_(model.parameters(), max_norm=1.0)
    scaler.step(optimizer)
    scaler.update()
    return model.weight.item()


whole, added = weight_after_a_step(1), weight_after_a_step(4)
print("same update:", abs(whole - added) < 0.001)
#> same update: True
assert abs(whole - added) < 0.001
