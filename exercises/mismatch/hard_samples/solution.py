import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")

torch.manual_seed(0)
model = nn.Linear(64, 1).to(device)
data = torch.randn(256, 64)

errors = []
with torch.no_grad():
    for part in data.split(64):
        errors.append(model(part.to(device)).abs().flatten())
errors = torch.cat(errors)

hardest = errors.topk(8).indices
x = data[hardest.cpu()].to(device)
print(f"{tuple(x.shape)} on {x.device}")
