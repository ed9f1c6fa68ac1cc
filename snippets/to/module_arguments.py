"""A module takes the same arguments, and returns itself every time.

模型的 `.to()` 接受同样的参数，每次返回的都是它自己。
"""
# needs: cuda

import torch

model = torch.nn.Linear(2, 1)
half = torch.tensor([0.5], dtype=torch.float16)


def state():
    return str(model.weight.device), model.weight.dtype


print(model.to("cuda") is model, *state())
#> True cuda:0 torch.float32
print(model.to(torch.float64) is model, *state())
#> True cuda:0 torch.float64
print(model.to("cpu", torch.float32) is model, *state())
#> True cpu torch.float32
print(model.to(half) is model, *state())
#> True cpu torch.float16
print(model.to() is model, *state())
#> True cpu torch.float16

print(model.cuda() is model, *state())
#> True cuda:0 torch.float16
print(model.double() is model, *state())
#> True cuda:0 torch.float64
print(model.cpu() is model, *state())
#> True cpu torch.float64
print(model.float() is model, *state())
#> True cpu torch.float32
