"""From a distributed checkpoint to one ordinary `.pt` file, and back.

分布式检查点变成一个普通的 `.pt` 文件，再变回去。
"""

import tempfile
import warnings
from pathlib import Path

import torch
import torch.distributed.checkpoint as dcp
from torch.distributed.checkpoint import format_utils

# zh: 没有进程组也能用，只是会警告。
# en: It works without a process group, and warns about that.
warnings.filterwarnings("ignore", "torch.distributed is disabled")
model = torch.nn.Linear(2, 1)

with tempfile.TemporaryDirectory() as name:
    folder = Path(name)
    dcp.save({"model": model.state_dict()}, checkpoint_id=folder / "sharded")
    print(sorted(path.name for path in (folder / "sharded").iterdir()))
    #> ['.metadata', '__0_0.distcp']

    file = folder / "model.pt"
    format_utils.dcp_to_torch_save(folder / "sharded", file)
    weight = torch.load(file)["model"]["weight"]
    print("the same weights:", torch.equal(weight, model.weight))
    #> the same weights: True

    format_utils.torch_save_to_dcp(file, folder / "again")
    found = {"model": torch.nn.Linear(2, 1).state_dict()}
    dcp.load(found, checkpoint_id=folder / "again")
    weight = found["model"]["weight"]
    print("and back:", torch.equal(weight, model.weight))
    #> and back: True
