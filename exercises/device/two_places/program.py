import torch
from torch import nn

device = torch.device("cuda:0" if torch.cuda.is_available() else "cpu")

model = nn.Linear(8, 2).to(device)


def load_batch():
    device = torch.device("cuda:1" if torch.cuda.device_count() > 1 else "cpu")
    return torch.ones(4, 8, device=device)


x = load_batch()
y = model(x)
print(f"batch on {x.device}, result on {y.device}")
