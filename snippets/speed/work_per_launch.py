"""A larger batch gives each operator more work; it does not add operators.

batch 越大，每个算子的计算量越大，算子的个数却不变。
"""

import torch
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils.flop_counter import FlopCounterMode

layers = [torch.nn.Linear(512, 512), torch.nn.ReLU()] * 4
model = torch.nn.Sequential(*layers, torch.nn.Linear(512, 10))


class CountOperators(TorchDispatchMode):
    def __init__(self):
        super().__init__()
        self.count = 0

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        self.count += 1
        return func(*args, **(kwargs or {}))


counts = set()
for batch in (4, 64, 1024):
    x = torch.empty(batch, 512)
    with CountOperators() as operators, FlopCounterMode(display=False) as flops:
        model(x).mean().backward()
    counts.add(operators.count)
    each = flops.get_total_flops() / operators.count
    print(f"batch {batch}: {each / 1e6:.1f} million operations per operator")
    #> batch 4: 0.3 million operations per operator
    #> batch 64: 4.8 million operations per operator
    #> batch 1024: 76.1 million operations per operator

print("as many operators each time:", len(counts) == 1)
#> as many operators each time: True
