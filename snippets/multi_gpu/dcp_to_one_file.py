"""From a distributed checkpoint to one ordinary `.pt` file, and back.

分布式检查点变成一个普通的 `.pt` 文件，再变回去。
"""

import tempfile
from pathlib import Path

import torch
import torch.distributed.checkpoint as dcp
from torch.distributed.checkpoint import format_utils

model = torch.nn.Linear(2, 1)

with tempfile.TemporaryDirectory() as name:
    folder = Path(name)
    # zh: no_dist：只有一个进程，没有进程组。
    # en: no_dist: one process, no process group.
    state = {"model": model.state_dict()}
    dcp.save(state, checkpoint_id=folder / "sharded", no_dist=True)
    print(sorted(path.name for path in (folder / "sharded").iterdir()))
    #> ['.metadata', '__0_0.distcp']

    file = folder / "model.pt"
    format_utils.dcp_to_torch_save(folder / "sharded", file)
    weight = torch.load(file)["model"]["weight"]
    print("the same weights:", torch.equal(weight, model.weight))
    #> the same weights: True

    format_utils.torch_save_to_dcp(file, folder / "again")
    found = {"model": torch.nn.Linear(2, 1).state_dict()}
    dcp.load(found, checkpoint_id=folder / "again", no_dist=True)
    again = found["model"]["weight"]
    print("and back:", torch.equal(again, model.weight))
    #> and back: True
