"""Resume: load to the CPU, then copy into what is on the GPU already.

恢复训练：先加载到 CPU，再拷进已经在 GPU 上的模型和优化器。
"""
# needs: cuda

import io

import torch


def training():
    model = torch.nn.Linear(2, 1, device="cuda:0")
    return model, torch.optim.AdamW(model.parameters())


model, optimizer = training()
model(torch.ones(1, 2, device="cuda:0")).sum().backward()
optimizer.step()
file = io.BytesIO()
state = {"model": model.state_dict(), "optim": optimizer.state_dict()}
torch.save(state, file)

model, optimizer = training()
file.seek(0)
checkpoint = torch.load(file, map_location="cpu")
saved = checkpoint["model"]["weight"]
print("the same before:", torch.equal(model.weight.cpu(), saved))
#> the same before: False
model.load_state_dict(checkpoint["model"])
optimizer.load_state_dict(checkpoint["optim"])

print("loaded:", saved.device)
#> loaded: cpu
print("model:", model.weight.device)
#> model: cuda:0
state = optimizer.state[model.weight]
print({name: str(x.device) for name, x in state.items()})
#> {'step': 'cpu', 'exp_avg': 'cuda:0', 'exp_avg_sq': 'cuda:0'}
print("the same after:", torch.equal(model.weight.cpu(), saved))
#> the same after: True
