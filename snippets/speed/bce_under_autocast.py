"""On CUDA, autocast refuses BCELoss: take BCEWithLogitsLoss.

在 CUDA 上，autocast 拒绝 BCELoss：换成 BCEWithLogitsLoss。
"""
# needs: cuda
# simulated: no

import torch

scores = torch.zeros(3, device="cuda")
target = torch.tensor([0.0, 1.0, 1.0], device="cuda")

with torch.autocast("cuda", dtype=torch.bfloat16):
    try:
        torch.nn.BCELoss()(scores.sigmoid(), target)
    except RuntimeError as error:
        print("refused:", "unsafe to autocast" in str(error))
    loss = torch.nn.BCEWithLogitsLoss()(scores, target)

print(loss.dtype, f"{loss.item():.4f}")
