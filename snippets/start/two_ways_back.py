"""What comes back to the CPU from `.cpu()`, and what from `.item()`.

用 `.cpu()` 拿回来的是什么，用 `.item()` 呢。
"""

import torch

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
loss = torch.tensor([1.0, 3.0], device=device).mean()

print(loss.cpu())
#> tensor(2.)
print(loss.item())
#> 2.0
