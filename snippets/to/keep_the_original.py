"""For a copy of a model on another device: deepcopy first, then move.

想在另一个设备上多要一份模型：先 deepcopy，再移。
"""
# needs: cuda

import copy

import torch

model = torch.nn.Linear(2, 1)
on_gpu = copy.deepcopy(model).to("cuda")

print(model.weight.device, on_gpu.weight.device)
#> cpu cuda:0
print(torch.equal(model.weight, on_gpu.weight.cpu()))
#> True
