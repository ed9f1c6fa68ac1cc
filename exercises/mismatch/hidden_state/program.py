import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


class Reader(nn.Module):
    def __init__(self):
        super().__init__()
        self.rnn = nn.GRU(4, 8, batch_first=True)
        self.out = nn.Linear(8, 2)

    def forward(self, x):
        state = torch.zeros(1, len(x), 8)
        _, state = self.rnn(x, state)
        return self.out(state[0])


torch.manual_seed(0)
model = Reader().to(device)
y = model(torch.ones(3, 5, 4, device=device))
print(f"{tuple(y.shape)} on {y.device}")
