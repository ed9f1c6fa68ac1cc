"""An array becomes a tensor in two ways.

数组变成张量的两种办法。
"""

import numpy as np
import torch

array = np.zeros(2)
shared = torch.from_numpy(array)
own = torch.tensor(array)
array += 1

print(shared.tolist(), own.tolist())
#> [1.0, 1.0] [0.0, 0.0]
