"""`map_location` moves what was read, not the model that it is copied into.

`map_location` 管的是读出来的张量，不管模型在哪里。
"""

import io

import torch
from torch import nn

file = io.BytesIO()
torch.save(nn.Linear(2, 1).state_dict(), file)

# zh: 用 meta 设备代替 GPU：它不装数据，任何机器上都有。
# en: The meta device in place of a GPU: it holds no data, and each machine
#   has it.
model = nn.Linear(2, 1)
file.seek(0)
state = torch.load(file, map_location="meta")
print("loaded:", state["weight"].device)
#> loaded: meta
print("model:", model.weight.device)
#> model: cpu
