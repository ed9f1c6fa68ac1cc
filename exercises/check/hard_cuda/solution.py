import torch
from torch import nn

device = torch.accelerator.current_accelerator(check_available=True) or torch.device("cpu")

torch.manual_seed(0)
model = nn.Linear(4, 2).to(device)
x = torch.ones(3, 4).to(device)

with torch.no_grad():
    y = model(x)
print(f"computed on {y.device}, shape {tuple(y.shape)}")
