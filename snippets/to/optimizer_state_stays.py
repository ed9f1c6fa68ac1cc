"""What stays behind is the optimizer's state, once it has made a step.

留在原处的是优化器的状态：它走过一步之后才有。
"""
# needs: cuda

import torch


def step():
    device = model.weight.device
    model(torch.ones(1, 2, device=device)).sum().backward()
    optimizer.step()


model = torch.nn.Linear(2, 1)
optimizer = torch.optim.Adam(model.parameters())
step()

model.to("cuda")
state = optimizer.state[model.weight]
print(model.weight.device, state["exp_avg"].device)
#> cuda:0 cpu

try:
    step()
except RuntimeError as error:
    print(type(error).__name__)
    #> RuntimeError

# zh: 装回自己的状态，它就到参数所在的设备上。
# en: Loading its own state puts it where the parameters are.
optimizer.load_state_dict(optimizer.state_dict())
step()
print(optimizer.state[model.weight]["exp_avg"].device)
#> cuda:0
