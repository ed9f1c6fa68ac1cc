import io

import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


def create():
    model = nn.Linear(8, 1)
    return model, torch.optim.Adam(model.parameters(), lr=0.01)


def train(model, optimizer, x):
    optimizer.zero_grad()
    model(x).square().mean().backward()
    optimizer.step()


model, optimizer = create()
train(model, optimizer, torch.ones(4, 8))
file = io.BytesIO()
states = {"model": model.state_dict(), "optimizer": optimizer.state_dict()}
torch.save(states, file)
file.seek(0)

saved = torch.load(file)
model, optimizer = create()
model.load_state_dict(saved["model"])
optimizer.load_state_dict(saved["optimizer"])
model.to(device)

train(model, optimizer, torch.ones(4, 8, device=device))
print(f"resumed on {model.weight.device}")
