"""Layers in a plain dictionary, and in a ModuleDict.

层放在普通字典里，和放在 ModuleDict 里。
"""

from torch import nn


class Net(nn.Module):
    def __init__(self, kind):
        super().__init__()
        self.layers = kind({"in": nn.Linear(2, 8), "out": nn.Linear(8, 3)})


for kind in (dict, nn.ModuleDict):
    net = Net(kind).to("meta")
    print(net.layers["in"].weight.device, len(list(net.parameters())))
    #> cpu 0
    #> meta 4
