"""What a default device reaches: the functions that make a tensor.

默认设备管得到的：从头建张量的函数。
"""

import numpy
import torch

with torch.device("meta"):
    made = {
        "zeros": torch.zeros(2),
        "rand": torch.rand(2),
        "arange": torch.arange(3),
        "tensor of a list": torch.tensor([1.0]),
        "as_tensor of NumPy": torch.as_tensor(numpy.ones(2)),
        "parameters of a layer": torch.nn.Linear(2, 1).weight,
        "buffers of a layer": torch.nn.BatchNorm1d(2).running_mean,
    }

for name, x in made.items():
    print(f"{x.device}: {name}")
    #> meta: zeros
    #> meta: rand
    #> meta: arange
    #> meta: tensor of a list
    #> meta: as_tensor of NumPy
    #> meta: parameters of a layer
    #> meta: buffers of a layer
