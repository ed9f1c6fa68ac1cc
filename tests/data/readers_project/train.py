import torch

layers = [torch.nn.Linear(1024, 1024), torch.nn.ReLU(), torch.nn.Linear(1024, 10)]
model = torch.nn.Sequential(*layers).to("cuda")
optimizer = torch.optim.AdamW(model.parameters())
x = torch.randn(512, 1024, device="cuda")
y = torch.zeros(512, dtype=torch.long, device="cuda")

for _ in range(3):
    loss = torch.nn.functional.cross_entropy(model(x), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
