"""A layer added after the move is on the CPU.

移完以后才加的层，还在 CPU 上。
"""
# needs: cuda

import torch

model = torch.nn.Sequential(torch.nn.Linear(4, 4)).to("cuda")
model.append(torch.nn.Linear(4, 2))
print([layer.weight.device.type for layer in model])
#> ['cuda', 'cpu']

model.to("cuda")
print([layer.weight.device.type for layer in model])
#> ['cuda', 'cuda']
