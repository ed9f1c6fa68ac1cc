"""Cause 4: layers in a Python list do not belong to the model.

原因四：放在 Python 列表里的层不算模型的一部分。
"""
# needs: cuda

import torch


class Net(torch.nn.Module):
    def __init__(self, kind):
        super().__init__()
        self.layers = kind([torch.nn.Linear(2, 2), torch.nn.Linear(2, 1)])

    def forward(self, x):
        for layer in self.layers:
            x = layer(x)
        return x


x = torch.ones(1, 2, device="cuda")
net = Net(list).to("cuda")
# zh: 优化器也看不到这些参数。
# en: An optimizer does not see these parameters, either.
print(len(list(net.parameters())))
#> 0
try:
    net(x)
except RuntimeError as error:
    print(str(error).split(",")[0])
    #> Expected all tensors to be on the same device

net = Net(torch.nn.ModuleList).to("cuda")
print(len(list(net.parameters())), net(x).device)
#> 4 cuda:0
