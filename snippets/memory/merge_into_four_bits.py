"""Merge an update into weights of 4 or 16 bits: how much is lost.

把更新合并到 4 位或 16 位的权重里：丢了多少。
"""

import torch

torch.manual_seed(0)
weight = torch.randn(1024, 1024) / 32
update = torch.randn(1024, 8) @ torch.randn(8, 1024) / 10000


def in_four_bits(weight):
    """The nearest values that a grid of 15 steps for each 64 weights has."""
    # zh: 每 64 个权重共用一个 15 格的刻度，各取最近的一格。
    groups = weight.reshape(-1, 64)
    step = groups.abs().amax(dim=1, keepdim=True) / 7
    return ((groups / step).round() * step).reshape(weight.shape)


base = in_four_bits(weight)
exact = base + update
merged = {
    "4 bits": in_four_bits(exact),
    "bfloat16": exact.bfloat16().float(),
}
print(f"update: {(update.norm() / base.norm()).item():.1%} of the weights")
#> update: 0.9% of the weights
for name, result in merged.items():
    off = ((result - exact).norm() / update.norm()).item()
    left = ((result - base) * update).sum() / update.square().sum()
    print(f"{name}: {left.item():.0%} of the update left, off by {off:.0%}")
    #> 4 bits: 2% of the update left, off by 107%
    #> bfloat16: 100% of the update left, off by 19%
