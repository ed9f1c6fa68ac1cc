"""The loop variable is a new name: moving it leaves the list alone.

循环变量只是一个新名字：给它赋值，列表里的张量并没有移。
"""
# needs: cuda

import torch

batch = [torch.ones(1), torch.zeros(1)]

for value in batch:
    value = value.to("cuda")
print([str(value.device) for value in batch])
#> ['cpu', 'cpu']

batch = [value.to("cuda") for value in batch]
print([str(value.device) for value in batch])
#> ['cuda:0', 'cuda:0']
