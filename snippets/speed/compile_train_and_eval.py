"""Each mode that a model runs in is compiled for itself.

模型在每一种模式下各编译一次。
"""

import torch
from torch import nn

graphs = 0


def count(graph, example_inputs):
    global graphs
    graphs += 1
    return graph.forward


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(4, 4)
        self.dropout = nn.Dropout()

    def forward(self, x):
        return self.dropout(self.linear(x))


net = Net()
compiled = torch.compile(net, backend=count)
x = torch.ones(2, 4)

compiled(x)
print("train:", graphs)
#> train: 1
net.eval()
compiled(x)
print("eval:", graphs)
#> eval: 2
with torch.no_grad():
    compiled(x)
print("no_grad:", graphs)
#> no_grad: 3
with torch.inference_mode():
    compiled(x)
print("inference_mode:", graphs)
#> inference_mode: 4
net.train()
with torch.autocast("cpu", torch.bfloat16):
    compiled(x)
print("autocast:", graphs)
#> autocast: 5
compiled(x)
print("train again:", graphs)
#> train again: 5
