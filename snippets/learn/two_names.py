"""After `x = x.to(...)`, does anybody still have the old tensor?

写了 x = x.to(...) 之后，还有谁拿着原来的张量？
"""

import weakref

import torch

x = torch.ones(1000)
batch = [x]
old = weakref.ref(x)

x = x.to("meta")
print("old tensor alive:", old() is not None)
#> old tensor alive: True
batch.clear()
print("old tensor alive:", old() is not None)
#> old tensor alive: False
