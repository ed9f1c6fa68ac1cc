"""Count the parameters of a model that does not fit into memory.

内存装不下的模型，也能数出参数。
"""

import torch

with torch.device("meta"):
    model = torch.nn.Sequential(
        torch.nn.Linear(50_000, 100_000, bias=False),
        torch.nn.Linear(100_000, 50_000, bias=False),
    )
    out = model(torch.ones(8, 50_000))

numbers = sum(p.numel() for p in model.parameters())
size = sum(p.nbytes for p in model.parameters())

print(f"{numbers:,} parameters, {size / 2**30:.1f} GiB")
#> 10,000,000,000 parameters, 37.3 GiB
print(tuple(out.shape), out.device)
#> (8, 50000) meta
