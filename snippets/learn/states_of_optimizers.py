"""Three optimizers: how many times the weights they store for themselves.

三种优化器：自己存的东西是参数的几倍。
"""

import torch

OPTIMIZERS = {
    "SGD": lambda w: torch.optim.SGD(w, lr=0.01),
    "SGD, momentum": lambda w: torch.optim.SGD(w, lr=0.01, momentum=0.9),
    "Adam": lambda w: torch.optim.Adam(w, lr=0.01),
}

for name, create in OPTIMIZERS.items():
    model = torch.nn.Linear(64, 64)
    optimizer = create(model.parameters())
    model(torch.rand(1, 64)).sum().backward()
    optimizer.step()
    stored = sum(
        value.nbytes
        for state in optimizer.state.values()
        for value in state.values()
        # zh: Adam 还数步数，每个参数张量只多一个数。
        # en: Adam also counts its steps: one number for each tensor.
        if torch.is_tensor(value) and value.dim()
    )
    print(f"{name}: {stored / sum(w.nbytes for w in model.parameters()):.0f}")
    #> SGD: 0
    #> SGD, momentum: 1
    #> Adam: 2
