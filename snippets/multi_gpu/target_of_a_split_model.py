"""The output is on the last GPU, so the target belongs there as well.

输出在最后一块 GPU 上，标签也要去那里。
"""
# needs: cuda:2

import torch

model = torch.nn.Linear(4, 2).to("cuda:1")
output = model(torch.rand(16, 4, device="cuda:1"))
target = torch.zeros(16, 2, device="cuda:0")

try:
    torch.nn.functional.mse_loss(output, target)
except RuntimeError as error:
    print(str(error).split(",")[0])
    #> Expected all tensors to be on the same device

print(torch.nn.functional.mse_loss(output, target.to(output.device)).device)
#> cuda:1
