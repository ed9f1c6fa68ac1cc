"""A `state_dict` holds the weights themselves, so it goes on changing.

`state_dict` 里就是权重本身，所以它还会跟着变。
"""

import copy

import torch

model = torch.nn.Linear(2, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)

best = model.state_dict()
kept = copy.deepcopy(model.state_dict())
# zh: 也可以直接拷到内存里，不占显存。
# en: Or copy it to host memory, where it takes no GPU memory.
on_cpu = {
    name: value.detach().to("cpu", copy=True)
    for name, value in model.state_dict().items()
}

model(torch.ones(1, 2)).sum().backward()
optimizer.step()

for name, saved in ("best", best), ("kept", kept), ("on_cpu", on_cpu):
    print(name, "changed:", torch.equal(saved["weight"], model.weight))
    #> best changed: True
    #> kept changed: False
    #> on_cpu changed: False
