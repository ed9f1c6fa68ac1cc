"""Where a step computes: the devices of weights, batch and result.

一步在哪里计算：权重、数据和结果各在什么设备上。
"""

import torch

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = torch.nn.Sequential(torch.nn.Linear(4, 8), torch.nn.BatchNorm1d(8))
model.to(device)
batch = torch.rand(16, 4).to(device)

loss = model(batch).sum()

# zh: 缓冲区不是参数，例如 BatchNorm 的均值，所以另外列出。
# en: Buffers, such as the means of BatchNorm, are no parameters.
print("weights:", {p.device.type for p in model.parameters()})
#> weights: {'cpu'}
print("buffers:", {b.device.type for b in model.buffers()})
#> buffers: {'cpu'}
print("batch:  ", batch.device.type)
#> batch:   cpu
print("result: ", loss.device.type)
#> result:  cpu
print("GPU memory of tensors:", torch.cuda.memory_allocated() > 0)
#> GPU memory of tensors: False
