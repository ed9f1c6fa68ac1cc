import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")

torch.manual_seed(0)
model = nn.Linear(4, 1).to(device)

predictions = []
for _ in range(5):
    x = torch.randn(8, 4, device=device)
    predictions.append(model(x))

values = torch.cat(predictions).numpy()
print(f"{len(values)} predictions, mean {values.mean():.3f}")
