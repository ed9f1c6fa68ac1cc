"""`scaler.update()` belongs to every step, also to one that you skip yourself.

`scaler.update()` 每一步都要调用，自己跳过的那一步也不例外。
"""

import torch

weight = torch.nn.Parameter(torch.zeros(1))
optimizer = torch.optim.SGD([weight], lr=1.0)


def train(update_if_skipped):
    scaler = torch.amp.GradScaler("cpu")
    for loss_factor in (0.5, 9.0, 0.5):
        optimizer.zero_grad()
        scaler.scale((weight * loss_factor).sum()).backward()
        scaler.unscale_(optimizer)
        norm = torch.nn.utils.clip_grad_norm_([weight], max_norm=1.0)
        # zh: 梯度太大的一步，程序自己跳过。
        # en: The program itself skips a step whose gradient is too large.
        if norm < 5:
            scaler.step(optimizer)
            scaler.update()
        elif update_if_skipped:
            scaler.update()


try:
    train(update_if_skipped=False)
except RuntimeError as error:
    print(error)
    #> unscale_() has already been called on this optimizer since the last update().
train(update_if_skipped=True)
print("no error")
#> no error
