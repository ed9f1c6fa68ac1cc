"""Two graph layers of PyTorch Geometric on 100,000 nodes with a million edges."""

import torch
from torch_geometric.nn import GATConv, GCNConv


class Net(torch.nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.first, self.second = GCNConv(128, 64), GATConv(64, 32, heads=4)
        self.head = torch.nn.Linear(128, 40)

    def forward(self, x, edges):
        x = self.first(x, edges).relu()
        return self.head(self.second(x, edges).relu())


model = Net().to("cuda")
optimizer = torch.optim.Adam(model.parameters())
x, edges = torch.randn(100_000, 128).to("cuda"), torch.randint(100_000, (2, 1_000_000)).to("cuda")
classes = torch.randint(40, (100_000,)).to("cuda")
for _ in range(4):
    loss = torch.nn.functional.cross_entropy(model(x, edges), classes)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
