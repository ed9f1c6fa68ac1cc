import torch
from torch import nn

device = torch.accelerator.current_accelerator(check_available=True) or torch.device("cpu")

model = nn.Linear(4, 2)
x = torch.ones(3, 4)

model.to(device)
x = x.to(device)

y = model(x)
print(y.shape)
