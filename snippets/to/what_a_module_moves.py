"""Parameters and buffers move with a module; a plain tensor stays.

参数和缓冲区跟着模型走，普通张量属性留在原处。
"""
# needs: cuda

import torch


class Scaler(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = torch.nn.Parameter(torch.ones(2))
        self.register_buffer("mean", torch.zeros(2))
        self.register_buffer("mask", torch.ones(2), persistent=False)
        self.plain = torch.zeros(2)
        self.listed = [torch.zeros(2)]


model = Scaler().to("cuda")

print(model.weight.device)
#> cuda:0
print(model.mean.device, model.mask.device)
#> cuda:0 cuda:0
print(model.plain.device, model.listed[0].device)
#> cpu cpu

# zh: persistent=False 只是不存进 state_dict。
# en: persistent=False only keeps it out of the state_dict.
print(list(model.state_dict()))
#> ['weight', 'mean']
