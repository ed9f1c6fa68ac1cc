"""A column minus a row is a matrix: how a small tensor becomes 37 GiB.

一列减一行，得到的是矩阵：很小的张量怎么变成 37 GiB。
"""

import torch

# zh: 在 meta 设备上只有形状，没有数据，所以多大都不占内存。
# en: On the meta device there are only shapes, so no size takes memory.
outputs = torch.empty(100_000, 1, device="meta")
targets = torch.empty(100_000, device="meta")

wrong = outputs - targets
print(tuple(wrong.shape), f"{wrong.nbytes / 2**30:.1f} GiB")
#> (100000, 100000) 37.3 GiB

right = outputs.squeeze(1) - targets
print(tuple(right.shape), f"{right.nbytes / 2**20:.1f} MiB")
#> (100000,) 0.4 MiB

points = torch.empty(20_000, 3, device="meta")
differences = points[:, None] - points
print(tuple(differences.shape), f"{differences.nbytes / 2**30:.1f} GiB")
#> (20000, 20000, 3) 4.5 GiB
print(tuple(torch.cdist(points, points).shape))
#> (20000, 20000)
