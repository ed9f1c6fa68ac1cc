import torch
from torch import nn

torch.manual_seed(0)
model = nn.Sequential(nn.Linear(16, 64), nn.ReLU(), nn.Linear(64, 1))
optimizer = torch.optim.SGD(model.parameters(), lr=1e-3)

x = torch.randn(64, 16)
y = x.sum(dim=1, keepdim=True)

for _ in range(30):
    with torch.autocast("cpu", dtype=torch.bfloat16):
        prediction = model(x)
    loss = (prediction - y).square().mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()

print(f"loss {loss.item():.3f}, computed in {prediction.dtype}")
