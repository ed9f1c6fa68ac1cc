"""The training before DDP: one process, on a GPU if there is one.

用 DDP 之前的训练：只有一个进程，有 GPU 就用。
"""
# leaves: files

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")

torch.manual_seed(0)
x = torch.rand(64, 4)
data = TensorDataset(x, x.sum(1, keepdim=True))
loader = DataLoader(data, batch_size=16, shuffle=True)

model = nn.Linear(4, 1).to(device)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)

for epoch in range(3):
    for x, y in loader:
        loss = nn.functional.mse_loss(model(x.to(device)), y.to(device))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    print(f"epoch {epoch}, {len(loader)} steps, loss {loss.item():.3f}")
    #> epoch 0, 4 steps, loss 0.539
    #> epoch 1, 4 steps, loss 0.100
    #> epoch 2, 4 steps, loss 0.129

torch.save(model.state_dict(), "model.pt")
print("saved", sorted(torch.load("model.pt")))
#> saved ['bias', 'weight']
