"""A default device breaks `DataLoader(shuffle=True)`.

设了默认设备，`DataLoader(shuffle=True)` 就会报错。
"""
# needs: cuda

import torch
from torch.utils.data import DataLoader


def one_epoch(generator=None):
    loader = DataLoader(range(4), shuffle=True, generator=generator)
    return sorted(batch.item() for batch in loader)


torch.set_default_device("cuda")
try:
    one_epoch()
except RuntimeError as error:
    print(str(error).split(" for ")[0])
    #> Expected a 'cuda' device type

# zh: 办法一：给它一个同一设备上的随机数生成器。
# en: One way out: a random generator on the same device.
print(one_epoch(torch.Generator(device="cuda")))
#> [0, 1, 2, 3]

# zh: 办法二，也更好：不设全局默认设备，只在建模型时用 with。
# en: The better one: no global default; use `with` where the model is built.
torch.set_default_device(None)
with torch.device("cuda"):
    model = torch.nn.Linear(4, 1)
print(one_epoch(), model.weight.device)
#> [0, 1, 2, 3] cuda:0
