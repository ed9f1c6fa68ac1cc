"""All tensors that Python holds, by size, and who holds one of them.

Python 还握着哪些张量，按大小排列，再看是谁握着它。
"""

import gc
from collections import Counter

import torch


def live_tensors(device):
    return [
        t
        for t in gc.get_objects()
        if issubclass(type(t), torch.Tensor) and t.device.type == device
    ]


before = {id(t) for t in live_tensors("cpu")}
cache = {step: torch.zeros(256, 1024) for step in range(3)}
weights = torch.zeros(10)

new = [t for t in live_tensors("cpu") if id(t) not in before]
for (size, shape), count in sorted(
    Counter((t.nbytes, tuple(t.shape)) for t in new).items(), reverse=True
):
    print(count, "x", shape, size)
    #> 3 x (256, 1024) 1048576
    #> 1 x (10,) 40

largest = max(new, key=lambda t: t.nbytes)
print(any(owner is cache for owner in gc.get_referrers(largest)))
#> True
