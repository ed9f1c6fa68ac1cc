"""A model on the GPU does not take a batch from the CPU.

模型在 GPU 上，就不接受还在 CPU 上的数据。
"""
# needs: cuda

import torch

model = torch.nn.Linear(4, 2).to("cuda")
batch = torch.rand(8, 4)

try:
    model(batch)
except RuntimeError as error:
    print(str(error).split(",")[0])
    #> Expected all tensors to be on the same device

print(model(batch.to("cuda")).device)
#> cuda:0
