import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")

torch.manual_seed(0)
model = nn.Linear(4, 2).to(device)
x = torch.ones(3, 4).to(device)

with torch.no_grad():
    y = model(x)
print(f"computed on {y.device}, shape {tuple(y.shape)}")
