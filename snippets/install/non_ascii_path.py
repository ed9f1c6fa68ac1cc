"""A model in a folder with a Chinese name: Python opens the file.

模型在中文名字的文件夹里：由 Python 打开文件。
"""

import tempfile
from pathlib import Path

import torch

with tempfile.TemporaryDirectory() as folder:
    path = Path(folder) / "模型" / "权重.pt"
    path.parent.mkdir()

    # zh: 传给 torch.save 和 torch.load 的是文件对象，不是路径。
    # en: What torch.save and torch.load get is a file object and not a path.
    with path.open("wb") as file:
        torch.save({"weight": torch.arange(3)}, file)
    with path.open("rb") as file:
        state = torch.load(file)

    print(state["weight"].tolist())
    #> [0, 1, 2]
