import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")

torch.manual_seed(0)
layers = nn.Linear(64, 256), nn.ReLU(), nn.Linear(256, 1)
model = nn.Sequential(*layers).to(device)
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)

seen = []
model[1].register_forward_hook(lambda layer, inputs, out: seen.append(out))

for _ in range(20):
    x = torch.randn(1024, 64, device=device)
    loss = (model(x) - x.sum(dim=1, keepdim=True)).square().mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()

means = [output.mean().item() for output in seen]
print(f"mean activation {means[0]:.3f} at first, {means[-1]:.3f} at last")
