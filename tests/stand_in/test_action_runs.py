"""The command that action.yml runs: it fails where a training does not fit, and where it breaks."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from gpu_guide import ROOT
from gpu_guide.dry_run.command import DOES_NOT_FIT, FAILED, FITS

ACTION = yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))
TRAIN = """
import sys
import torch

size = int(sys.argv[2])
model = torch.nn.Linear(4096, 4096, device="cuda")
optimizer = torch.optim.AdamW(model.parameters())
for _ in range(3):
    model(torch.ones(size, 4096, device="cuda")).sum().backward()
    optimizer.step()
assert size % 2 == 0, "an even batch"
"""


@pytest.mark.parametrize(("batch", "status"), [(8, FITS), (2_000_000, DOES_NOT_FIT), (7, FAILED)])
def test_the_step_ends_as_the_training_fits(batch: int, status: int, tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text(TRAIN, encoding="utf-8")
    # As pip makes it; the path keeps a folder that is not the guide's own.
    (tmp_path / "packages").mkdir()
    (tmp_path / "packages" / "gpu_guide").symlink_to(ROOT / "gpu_guide")
    program = tmp_path / "bin" / "gpu-guide"
    program.parent.mkdir()
    code = f"#!{sys.executable}\nfrom gpu_guide.tool.main import main\nraise SystemExit(main())\n"
    program.write_text(code, encoding="utf-8")
    program.chmod(0o755)
    step = ACTION["runs"]["steps"][-1]
    given = {name: ACTION["inputs"][name.lower()].get("default") for name in step["env"]}
    given |= {"COMMAND": f"python train.py --batch {batch}"}
    given |= {"PATH": f"{program.parent}:{os.environ['PATH']}"}
    given |= {"PYTHONPATH": str(tmp_path / "packages")}
    command = ["bash", "-e", "-o", "pipefail", "-c", step["run"]]
    more = {"capture_output": True, "text": True, "check": False}
    done = subprocess.run(command, cwd=tmp_path, env=os.environ | given, **more)
    assert done.returncode == status, done.stdout + done.stderr
