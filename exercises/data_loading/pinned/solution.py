import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")

torch.manual_seed(0)
x = torch.randn(256, 64)
data = TensorDataset(x, x.sum(dim=1, keepdim=True))
loader = DataLoader(data, batch_size=32, pin_memory=True)
model = nn.Linear(64, 1).to(device)

for features, target in loader:
    features = features.to(device, non_blocking=True)
    target = target.to(device, non_blocking=True)
    loss = (model(features) - target).square().mean()
    loss.backward()

print(f"batches of {len(features)} rows on {features.device}")
