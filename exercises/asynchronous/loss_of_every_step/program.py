import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")

torch.manual_seed(0)
model = nn.Linear(8, 1).to(device)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)

total = 0.0
for step in range(100):
    x = torch.randn(32, 8, device=device)
    loss = (model(x) - x.sum(dim=1, keepdim=True)).square().mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    total += loss.item()
    if loss.item() > 1e6:
        raise SystemExit("the loss explodes")

average = total / 100
print(f"average loss {average:.3f}")
