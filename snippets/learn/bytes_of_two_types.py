"""Bytes for each parameter in training: all in float32, all in bfloat16.

训练时每个参数多少字节：全用 float32，全用 bfloat16。
"""

import torch

for dtype in (torch.float32, torch.bfloat16):
    weight = torch.ones(1000, dtype=dtype, requires_grad=True)
    optimizer = torch.optim.Adam([weight])
    weight.sum().backward()
    optimizer.step()
    state = optimizer.state[weight]
    parts = weight, weight.grad, state["exp_avg"], state["exp_avg_sq"]
    print(dtype, sum(part.nbytes for part in parts) // 1000)
    #> torch.float32 16
    #> torch.bfloat16 8
