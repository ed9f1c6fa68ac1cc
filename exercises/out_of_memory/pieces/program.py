import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")

torch.manual_seed(0)
layers = nn.Linear(64, 512), nn.GELU(), nn.Linear(512, 1)
model = nn.Sequential(*layers).to(device)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)

x = torch.randn(5000, 64, device=device)
y = x.sum(dim=1, keepdim=True)
parts = list(zip(x.split(1500), y.split(1500), strict=True))

loss = 0.0
for part, target in parts:
    loss = loss + (model(part) - target).square().mean() / len(parts)
loss.backward()
optimizer.step()

print(f"{len(parts)} pieces, one step")
