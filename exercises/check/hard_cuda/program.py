import torch
from torch import nn

torch.manual_seed(0)
model = nn.Linear(4, 2).cuda()
x = torch.ones(3, 4).cuda()

with torch.no_grad():
    y = model(x)
print(f"computed on {y.device}, shape {tuple(y.shape)}")
