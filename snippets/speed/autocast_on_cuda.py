"""Autocast on CUDA: what comes out of a float16 tensor, by operator.

CUDA 上的 autocast：输入是 float16，各个算子输出什么类型。
"""
# needs: cuda
# simulated: no

import torch
from torch.nn.functional import group_norm, layer_norm, relu, softmax

half, single = torch.float16, torch.float32
x = torch.rand(4, 8, 8, device="cuda", dtype=half)
w = torch.rand(8, 8, device="cuda")
calls = {
    "x @ w (w is float32)": (half, lambda: x @ w),
    "relu(x)": (half, lambda: relu(x)),
    "x.mean()": (half, lambda: x.mean()),
    "layer_norm(x)": (single, lambda: layer_norm(x, (8,))),
    "group_norm(x)": (single, lambda: group_norm(x, 2)),
    "softmax(x)": (single, lambda: softmax(x, -1)),
    "x.sum()": (single, lambda: x.sum()),
    "x.exp()": (single, lambda: x.exp()),
    "x.log()": (single, lambda: x.log()),
    "x ** 2.5": (single, lambda: x**2.5),
}

with torch.autocast("cuda", dtype=half):
    for name, (dtype, call) in calls.items():
        result = call().dtype
        print(f"{name:21} {result}")
        assert result == dtype, name

# zh: 出了 autocast，就照输入的类型来。
# en: Outside autocast, the input decides.
assert layer_norm(x, (8,)).dtype == x.sum().dtype == half
