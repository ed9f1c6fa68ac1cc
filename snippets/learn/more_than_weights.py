"""By default `torch.load` reads tensors and plain values, and no classes.

`torch.load` 默认只读张量和普通的值，不读类。
"""

import io
from pickle import UnpicklingError

import torch
from torch import nn

model = nn.Linear(2, 1)
for name, what in (
    ("state_dict", {"model": model.state_dict(), "epoch": 3}),
    ("the model itself", model),
):
    file = io.BytesIO()
    torch.save(what, file)
    file.seek(0)
    try:
        torch.load(file)
        print(name, "-> loaded")
        #> state_dict -> loaded
    except UnpicklingError as error:
        print(name, "->", str(error).split(".")[0])
        #> the model itself -> Weights only load failed
