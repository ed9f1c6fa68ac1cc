import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")

torch.manual_seed(0)
hidden = [nn.Linear(64, 512), nn.GELU(), nn.Linear(512, 512), nn.GELU()]
model = nn.Sequential(*hidden, nn.Linear(512, 1)).to(device)
data = torch.randn(4, 2048, 64, device=device)


def evaluate():
    model.eval()
    total = 0.0
    for x in data:
        out = model(x)
        loss = (out - x.sum(dim=1, keepdim=True)).square().mean()
        total += loss.item()
    model.train()
    return total / len(data)


before = evaluate()
model(data[0, :32]).square().mean().backward()
print(f"loss {before:.2f}, and one step of training")
