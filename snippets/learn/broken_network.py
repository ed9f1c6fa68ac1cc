"""Fault 3: the network has a tensor that it doesn't know about.

故障三：网络里有一个张量，网络自己却不知道。
"""
# needs: cuda

import traceback

import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset

BATCH, EPOCHS = 100, 5


class Rings(Dataset):
    def __init__(self, count, seed):
        generator = torch.Generator().manual_seed(seed)
        self.points = 2 * torch.rand(count, 2, generator=generator) - 1
        self.rings = (3 * self.points.norm(dim=1)).long().clamp(max=2)

    def __len__(self):
        return len(self.points)

    def __getitem__(self, index):
        return self.points[index], self.rings[index]


class Doubled(nn.Module):
    def __init__(self):
        super().__init__()
        self.factor = torch.tensor([2.0, 2.0])

    def forward(self, points):
        return self.factor * points


def network():
    torch.manual_seed(0)
    hidden = nn.Linear(2, 64), nn.ReLU(), nn.Linear(64, 64), nn.ReLU()
    return nn.Sequential(Doubled(), *hidden, nn.Linear(64, 3))


def train(model, loader, optimizer):
    model.train()
    for points, rings in loader:
        points, rings = points.to(device), rings.to(device)
        loss = nn.functional.cross_entropy(model(points), rings)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


@torch.no_grad()
def evaluate(model, loader):
    model.eval()
    right = torch.zeros((), dtype=torch.long, device=device)
    for points, rings in loader:
        points, rings = points.to(device), rings.to(device)
        right += (model(points).argmax(1) == rings).sum()
    return right.item() / len(loader.dataset)


def main():
    loader = DataLoader(Rings(2000, seed=1), BATCH, shuffle=True)
    test_loader = DataLoader(Rings(500, seed=2), BATCH)
    model = network().to(device)
    optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
    for epoch in range(EPOCHS):
        train(model, loader, optimizer)
        print(f"epoch {epoch}: {evaluate(model, test_loader):.0%} right")


device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
if __name__ == "__main__":
    try:
        main()
    except RuntimeError as error:
        print(str(error).split(",")[0])
        #> Expected all tensors to be on the same device
        ours = traceback.extract_tb(error.__traceback__)
        ours = [step for step in ours if step.filename == __file__]
        print("raised in", ours[-1].name)
        #> raised in forward
