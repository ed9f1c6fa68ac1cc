"""List every tensor of a model and its inputs that is on another device.

列出模型和输入里所有不在目标设备上的张量。
"""
# needs: cuda

import torch


def strays(device, model, **inputs):
    """Name and device of what is elsewhere, plain attributes included."""
    # zh: 不在目标设备上的东西的名字和设备，普通属性也算。
    named = list(inputs.items())
    for path, module in model.named_modules():
        own = dict(module.named_parameters(recurse=False))
        own.update(module.named_buffers(recurse=False))
        own.update(vars(module))
        named += [(f"{path}.{name}".strip("."), own[name]) for name in own]
    for name, x in named:
        if isinstance(x, torch.Tensor) and x.device != device:
            yield f"{name} is on {x.device}"


model = torch.nn.Sequential(
    torch.nn.Linear(2, 2), torch.nn.Linear(2, 1, bias=False)
)
model.register_buffer("mean", torch.zeros(2))
model.shift = torch.zeros(2)
model[0].to("cuda")

device = model[0].weight.device
for line in strays(device, model, x=torch.ones(4, 2)):
    print(line)
    #> x is on cpu
    #> mean is on cpu
    #> shift is on cpu
    #> 1.weight is on cpu
