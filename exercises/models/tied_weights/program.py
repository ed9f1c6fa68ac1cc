import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


class Language(nn.Module):
    def __init__(self):
        super().__init__()
        self.embed = nn.Embedding(50, 8)
        self.out = nn.Linear(8, 50, bias=False)
        self.out.weight.data = self.embed.weight.data

    def forward(self, tokens):
        return self.out(self.embed(tokens))


torch.manual_seed(0)
model = Language().to(device)
optimizer = torch.optim.SGD(model.parameters(), lr=0.5)

tokens = torch.arange(50, device=device)
for _ in range(5):
    loss = nn.functional.cross_entropy(model(tokens), tokens.roll(1))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()

print(f"{len(list(model.parameters()))} parameters, loss {loss.item():.2f}")
