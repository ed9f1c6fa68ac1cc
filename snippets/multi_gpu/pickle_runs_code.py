"""A file loaded with `weights_only=False` can run any code.

用 `weights_only=False` 加载，文件里可以藏着任意代码。
"""

import io
import os
from pickle import UnpicklingError

import torch


class Model:
    def __reduce__(self):
        return exec, ("import os; os.environ['RAN'] = 'yes'",)


file = io.BytesIO()
torch.save({"model": Model()}, file)

file.seek(0)
try:
    torch.load(file)
except UnpicklingError:
    print("refused, and ran:", os.environ.get("RAN"))
    #> refused, and ran: None

file.seek(0)
torch.load(file, weights_only=False)
print("loaded, and ran:", os.environ.pop("RAN"))
#> loaded, and ran: yes
