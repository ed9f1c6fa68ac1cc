"""One model on two GPUs: a `.to()` between the halves, the rest stays.

一个模型放在两块 GPU 上：两段之间加一次 `.to()`，其余照旧。
"""
# needs: cuda:2

import torch


class Split(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.lower = torch.nn.Linear(4, 8).to("cuda:0")
        self.upper = torch.nn.Linear(8, 2).to("cuda:1")

    def forward(self, x):
        h = torch.relu(self.lower(x.to("cuda:0")))
        return self.upper(h.to("cuda:1"))


def loss_of(model):
    output = model(torch.ones(16, 4))
    return output.square().mean()


model = Split()
optimizer = torch.optim.SGD(model.parameters(), lr=0.001)
before = loss_of(model)
before.backward()
optimizer.step()

print(before.device, (loss_of(model) < before).item())
#> cuda:1 True
for name, p in model.named_parameters():
    print(name, p.device, p.grad.device)
    #> lower.weight cuda:0 cuda:0
    #> lower.bias cuda:0 cuda:0
    #> upper.weight cuda:1 cuda:1
    #> upper.bias cuda:1 cuda:1
