"""GradScaler skips a step whose gradients are inf, and halves the scale.

梯度里有 inf，GradScaler 就跳过这一步，把倍数减半。
"""

import torch

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")

weight = torch.nn.Parameter(torch.ones(1, device=device))
optimizer = torch.optim.SGD([weight], lr=0.5)
scaler = torch.amp.GradScaler(device.type)

for factor in (1.0, float("inf"), 1.0):
    optimizer.zero_grad()
    loss = (weight * factor).sum()
    scaler.scale(loss).backward()
    scaler.step(optimizer)
    scaler.update()
    print(weight.item(), scaler.get_scale())
    #> 0.5 65536.0
    #> 0.5 32768.0
    #> 0.0 32768.0
