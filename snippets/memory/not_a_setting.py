"""torch.backends.cuda.max_split_size_mb is not a setting: nobody reads it.

torch.backends.cuda.max_split_size_mb 不是设置：没有人读它。
"""
# needs: torch>=2.12

import torch

print(hasattr(torch.backends.cuda, "max_split_size_mb"))
#> False

torch.backends.cuda.max_split_size_mb = 32
print(repr(torch._C._accelerator_getAllocatorSettings()))
#> ''
