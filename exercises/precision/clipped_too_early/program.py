import torch
from torch import nn

torch.manual_seed(0)
model = nn.Sequential(nn.Linear(16, 64), nn.ReLU(), nn.Linear(64, 1))
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
scaler = torch.amp.GradScaler("cpu")

x = torch.randn(64, 16)
y = 10 * x.sum(dim=1, keepdim=True)

for _ in range(20):
    with torch.autocast("cpu", dtype=torch.float16):
        prediction = model(x)
    loss = (prediction - y).square().mean()
    optimizer.zero_grad()
    scaler.scale(loss).backward()
    nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    scaler.step(optimizer)
    scaler.update()

print(f"loss {loss.item():.1f} at a scale of {scaler.get_scale():.0f}")
