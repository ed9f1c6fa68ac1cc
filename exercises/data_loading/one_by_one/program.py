import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


class Rows(Dataset):
    def __init__(self, x):
        self.x, self.y = x, x.sum(dim=1, keepdim=True)

    def __len__(self):
        return len(self.x)

    def __getitem__(self, number):
        return self.x[number].to(device), self.y[number].to(device)


torch.manual_seed(0)
model = nn.Linear(8, 1).to(device)
loader = DataLoader(Rows(torch.randn(250, 8)), batch_size=64)

seen = 0
for features, target in loader:
    loss = (model(features) - target).square().mean()
    seen += len(features)

print(f"{seen} rows on {features.device}")
