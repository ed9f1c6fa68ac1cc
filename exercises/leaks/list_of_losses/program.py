import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")

torch.manual_seed(0)
layers = nn.Linear(64, 256), nn.ReLU(), nn.Linear(256, 1)
model = nn.Sequential(*layers).to(device)

losses = []
for _ in range(20):
    x = torch.randn(128, 64, device=device)
    loss = model(x).square().mean()
    losses.append(loss)

average = sum(losses) / len(losses)
print(f"{len(losses)} batches, loss {average:.2f}")
