"""Which of these may stand beside a tensor on another device?

哪些可以和另一个设备上的张量一起用？
"""

import torch

x = torch.ones(2, device="meta")
others = {
    "a number": 0.5,
    "a tensor without dimensions": torch.tensor(0.5),
    "a tensor with one element": torch.tensor([0.5]),
}

for name, other in others.items():
    try:
        x * other
        print(name, "works")
        #> a number works
        #> a tensor without dimensions works
    except RuntimeError:
        print(name, "raises")
        #> a tensor with one element raises
