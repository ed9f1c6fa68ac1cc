import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")

model = nn.Linear(4, 2)
x = torch.ones(3, 4)

model.to(device)
x = x.to(device)

y = model(x)
print(y.shape)
