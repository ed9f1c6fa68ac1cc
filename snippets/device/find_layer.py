"""Report the layer whose input and weights are on two devices.

报告输入和权重不在同一设备上的那一层。
"""
# needs: cuda

import torch

model = torch.nn.Sequential(
    torch.nn.Linear(4, 4), torch.nn.ReLU(), torch.nn.Linear(4, 1)
)
model[0].to("cuda")


def watch(name):
    def look(layer, inputs):
        tensors = [*layer.parameters(recurse=False), *inputs]
        devices = sorted({str(x.device) for x in tensors})
        if len(devices) > 1:
            print(f"layer {name}, {type(layer).__name__}:", *devices)
            #> layer 2, Linear: cpu cuda:0

    return look


for name, layer in model.named_modules():
    layer.register_forward_pre_hook(watch(name))

try:
    model(torch.ones(1, 4, device="cuda"))
except RuntimeError as error:
    print(str(error).split(",")[0])
    #> Expected all tensors to be on the same device
