"""Weights in 8 and 4 bits: a scale for each row, and how large the error is.

8 位和 4 位的权重：每行一个缩放系数，误差有多大。
"""

import torch

torch.manual_seed(0)
layer = torch.nn.Linear(1024, 1024, bias=False)
x = torch.randn(16, 1024)
exact = layer(x)


def quantized(weight, bits):
    """Whole numbers of so many bits, and what one of them stands for."""
    # zh: 用这么多位表示的整数，以及 1 代表多少。
    largest = 2 ** (bits - 1) - 1
    scale = weight.abs().amax(dim=1, keepdim=True) / largest
    return (weight / scale).round().to(torch.int8), scale


for bits in (8, 4):
    whole, scale = quantized(layer.weight.detach(), bits)
    y = x @ (whole * scale).T
    error = ((y - exact).norm() / exact.norm()).item()
    size = whole.nbytes * bits // 8 + scale.nbytes
    print(f"{bits} bits: {size / layer.weight.nbytes:.3f} of the size")
    #> 8 bits: 0.251 of the size
    #> 4 bits: 0.126 of the size
    print(f"{bits} bits: off by {error:.1%}")
    #> 8 bits: off by 0.4%
    #> 4 bits: off by 7.2%
