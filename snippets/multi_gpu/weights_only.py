"""`torch.load` refuses unknown classes: list them, then allow your own.

`torch.load` 拒绝没见过的类：先列出来，再放行自己写的。
"""

import io
from dataclasses import dataclass
from pickle import UnpicklingError

import torch


@dataclass
class Config:
    hidden: int


file = io.BytesIO()
weights = torch.nn.Linear(2, 1).state_dict()
torch.save({"model": weights, "config": Config(hidden=8)}, file)

file.seek(0)
try:
    torch.load(file)
except UnpicklingError as error:
    print(str(error).split(".")[0])
    #> Weights only load failed
    print("Unsupported global:", str(error).split("GLOBAL ")[1].split()[0])
    #> Unsupported global: __main__.Config

file.seek(0)
print(torch.serialization.get_unsafe_globals_in_checkpoint(file))
#> ['__main__.Config']

with torch.serialization.safe_globals([Config]):
    file.seek(0)
    print(torch.load(file)["config"])
    #> Config(hidden=8)
