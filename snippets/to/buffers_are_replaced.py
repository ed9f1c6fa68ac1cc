"""A buffer is replaced: a reference taken before the move stays behind.

缓冲区会换成新的张量：移动之前拿到的引用留在原处。
"""
# needs: cuda

import torch

model = torch.nn.BatchNorm1d(2)
mean, weight = model.running_mean, model.weight

model.to("cuda")
print(weight is model.weight, weight.device)
#> True cuda:0
print(mean is model.running_mean, mean.device)
#> False cpu
print(model.running_mean.device)
#> cuda:0
