"""A language model of two LSTM layers by cuDNN, 64 texts of 256 words."""

import torch
from torch import nn


class Net(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.words = nn.Embedding(20_000, 512)
        self.layers = nn.LSTM(512, 512, num_layers=2, dropout=0.2, batch_first=True)
        self.head = nn.Linear(512, 20_000)

    def forward(self, tokens):
        return self.head(self.layers(self.words(tokens))[0])


model = Net().to("cuda")
optimizer = torch.optim.Adam(model.parameters())
for _ in range(4):
    tokens = torch.randint(20_000, (64, 257)).to("cuda")
    logits = model(tokens[:, :-1])
    loss = nn.functional.cross_entropy(logits.flatten(0, 1), tokens[:, 1:].flatten())
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
