"""The weights of a loss are buffers: move the loss as you move a model.

损失函数的权重是缓冲区：像移动模型一样移动损失函数。
"""
# needs: cuda

import torch
from torch import nn

outputs = torch.zeros(3, 2, device="cuda")
targets = torch.tensor([0, 1, 1], device="cuda")
criterion = nn.CrossEntropyLoss(weight=torch.tensor([1.0, 3.0]))

try:
    criterion(outputs, targets)
except RuntimeError as error:
    print(str(error).split(",")[0])
    #> Expected all tensors to be on the same device

print({name: str(b.device) for name, b in criterion.named_buffers()})
#> {'weight': 'cpu'}
criterion.to("cuda")
print(criterion(outputs, targets).device)
#> cuda:0
