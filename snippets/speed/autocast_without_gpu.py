"""`autocast("cuda")` without a GPU does nothing and only warns.

没有 GPU 时，`autocast("cuda")` 什么也不做，只警告一声。
"""

import warnings

import torch

x = torch.ones(2, 2)

with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    with torch.autocast("cuda", dtype=torch.bfloat16):
        on_cpu = x @ x
    scaler = torch.amp.GradScaler("cuda")

# zh: 有没有 GPU，"cuda" 都管不到 CPU 上的计算。
# en: With or without a GPU, "cuda" does not reach what the CPU computes.
print(on_cpu.dtype)
#> torch.float32
print("warnings:", len(caught))
#> warnings: 2
print("GradScaler:", scaler.is_enabled())
#> GradScaler: False

with torch.autocast("cpu", dtype=torch.bfloat16):
    print((x @ x).dtype)
    #> torch.bfloat16
