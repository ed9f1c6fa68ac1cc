"""The same training, which can be stopped after any epoch and started again.

同样的训练，在任何一个 epoch 之后中断，都能接着训练。
"""
# leaves: files

import os

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


def network():
    torch.manual_seed(0)
    hidden = nn.Linear(2, 64), nn.ReLU(), nn.Linear(64, 64), nn.ReLU()
    return nn.Sequential(*hidden, nn.Linear(64, 3))


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


def save(epoch, model, optimizer):
    state = {"epoch": epoch, "random": torch.get_rng_state()}
    state["model"] = model.state_dict()
    state["optimizer"] = optimizer.state_dict()
    torch.save(state, "unfinished.pt")
    os.replace("unfinished.pt", "checkpoint.pt")


def resume(model, optimizer):
    if not os.path.exists("checkpoint.pt"):
        return 0
    state = torch.load("checkpoint.pt", map_location="cpu")
    model.load_state_dict(state["model"])
    optimizer.load_state_dict(state["optimizer"])
    torch.set_rng_state(state["random"])
    return state["epoch"] + 1


def main(stop=EPOCHS):
    loader = DataLoader(Rings(2000, seed=1), BATCH, shuffle=True)
    test_loader = DataLoader(Rings(500, seed=2), BATCH)
    model = network().to(device)
    optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
    begin = resume(model, optimizer)
    for epoch in range(begin, stop):
        train(model, loader, optimizer)
        print(f"epoch {epoch}: {evaluate(model, test_loader):.0%} right")
        #> epoch 0: 68% right
        #> epoch 1: 87% right
        #> epoch 2: 97% right
        #> epoch 3: 97% right
        #> epoch 4: 98% right
        save(epoch, model, optimizer)
    torch.save(model.state_dict(), "rings.pt")


device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
if __name__ == "__main__":
    # zh: 三个 epoch 之后中断，再启动一次。
    # en: Stopped after three epochs, and started again.
    main(stop=3)
    main()
