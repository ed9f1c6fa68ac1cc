import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


class Scaled(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(4, 4)
        self.register_buffer("scale", torch.tensor([1.0, 2.0, 4.0, 8.0]))

    def forward(self, x):
        return self.layer(x) * self.scale


model = Scaled().to(device)
y = model(torch.ones(2, 4, device=device))
print(f"result on {y.device}")
