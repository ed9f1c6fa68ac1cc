"""Before clipping gradients, divide the scale out: `unscale_`.

裁剪梯度之前，先用 `unscale_` 把倍数除回来。
"""

import torch

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")

for unscale in (False, True):
    weight = torch.nn.Parameter(torch.zeros(1, device=device))
    optimizer = torch.optim.SGD([weight], lr=1.0)
    scaler = torch.amp.GradScaler(device.type)

    scaler.scale((weight * 0.5).sum()).backward()
    if unscale:
        scaler.unscale_(optimizer)
    norm = torch.nn.utils.clip_grad_norm_([weight], max_norm=1.0)
    scaler.step(optimizer)
    scaler.update()

    print(f"unscale_: {unscale}, norm {norm:.1f}, weight {weight.item():.6f}")
    #> unscale_: False, norm 32768.0, weight -0.000015
    #> unscale_: True, norm 0.5, weight -0.500000
