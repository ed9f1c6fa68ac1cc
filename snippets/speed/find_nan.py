"""Which layer is the first to give NaN or inf?

哪一层最先算出 NaN 或 inf？
"""

import torch

model = torch.nn.Sequential(
    torch.nn.Linear(4, 4, bias=False),
    torch.nn.ReLU(),
    torch.nn.Linear(4, 2, bias=False),
)
with torch.no_grad():
    model[0].weight.fill_(1.0)
    model[2].weight.fill_(3e38)

found = []


def look(name):
    def hook(module, inputs, output):
        if not output.isfinite().all():
            found.append(name)

    return hook


hooks = [
    module.register_forward_hook(look(f"{name} {type(module).__name__}"))
    for name, module in model.named_modules()
    if name
]
for x in (torch.zeros(1, 4), torch.ones(1, 4)):
    found.clear()
    model(x)
    print(found)
    #> []
    #> ['2 Linear']

# zh: 找到以后就卸下来：每次检查都要等 GPU。
# en: Take them off when it is found: each check waits for the GPU.
for hook in hooks:
    hook.remove()
found.clear()
model(torch.ones(1, 4))
print(found)
#> []
