import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")

torch.manual_seed(0)
model = nn.Linear(64, 1).to(device)
data = torch.randn(320, 64) * 5 + 2
mean, std = data.mean(dim=0), data.std(dim=0)
mean, std = mean.to(device), std.to(device)

total = 0.0
with torch.no_grad():
    for batch in data.split(32):
        x = (batch.to(device) - mean) / std
        total += model(x).square().sum()

average = total.item() / len(data)
print(f"average {average:.4f}")
