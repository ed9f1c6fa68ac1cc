"""With `copy=True` the result never is the original.

写上 copy=True，结果就一定不是原来那个。
"""

import torch

image = torch.tensor([0.0, 100.0, 200.0])
work = image.to("cpu", copy=True)
work /= work.max()

print(image.tolist())
#> [0.0, 100.0, 200.0]
print(work.tolist())
#> [0.0, 0.5, 1.0]
