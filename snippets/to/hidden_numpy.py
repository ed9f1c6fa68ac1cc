"""NumPy and plotting call `.numpy()` for you, and fail the same way.

NumPy 和画图会替你转换，所以会在同一处失败。
"""
# needs: cuda

import numpy as np
import torch

losses = [torch.tensor(3.0, device="cuda"), torch.tensor(1.0, device="cuda")]

for convert in (np.array, np.mean):
    try:
        convert(losses)
    except TypeError as error:
        print(type(error).__name__)
        #> TypeError
        #> TypeError

# zh: 在 GPU 上算完，只拷一次。
# en: Compute on the GPU, copy once.
print(torch.stack(losses).mean().item())
#> 2.0
