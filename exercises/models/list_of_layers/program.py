import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


class Stack(nn.Module):
    def __init__(self):
        super().__init__()
        self.first = nn.Linear(4, 8)
        self.hidden = [nn.Linear(8, 8) for _ in range(3)]

    def forward(self, x):
        x = self.first(x)
        for layer in self.hidden:
            x = layer(x).relu()
        return x


torch.manual_seed(0)
model = Stack().to(device)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)

loss = model(torch.ones(2, 4, device=device)).sum()
loss.backward()
optimizer.step()
print(f"trained {len(list(model.parameters()))} parameters on {loss.device}")
