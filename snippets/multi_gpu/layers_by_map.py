"""Split a model that is not yours: a map of its layers, and a hook.

拆别人的模型：一张“哪层放哪里”的表，加一个 hook。
"""
# needs: cuda:2

import torch


def spread(model, places):
    for name, device in places.items():
        layer = model.get_submodule(name).to(device)
        layer.register_forward_pre_hook(
            lambda _, inputs, device=device: tuple(x.to(device) for x in inputs)
        )


model = torch.nn.Sequential(
    torch.nn.Linear(4, 8),
    torch.nn.ReLU(),
    torch.nn.Linear(8, 8),
    torch.nn.Linear(8, 2),
)
spread(model, {"0": "cuda:0", "1": "cuda:0", "2": "cuda:1", "3": "cuda:1"})

print(model(torch.rand(3, 4)).device)
#> cuda:1
for name, layer in model.named_children():
    print(name, *{str(p.device) for p in layer.parameters()})
    #> 0 cuda:0
    #> 1
    #> 2 cuda:1
    #> 3 cuda:1
