"""`.half()` leaves integers alone; `.type()` converts them, too.

`.half()` 不动整数，`.type()` 连整数一起转换。
"""

import torch

model = torch.nn.BatchNorm1d(2)

model.half()
print(model.running_mean.dtype, model.num_batches_tracked.dtype)
#> torch.float16 torch.int64

model.type(torch.float64)
print(model.running_mean.dtype, model.num_batches_tracked.dtype)
#> torch.float64 torch.float64
