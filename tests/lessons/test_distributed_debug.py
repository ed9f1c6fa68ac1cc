"""A debug level that a page tells the readers of DDP to set works with DDP."""

from __future__ import annotations

import os
import re
import subprocess
import sys

import pytest

from gpu_guide import ROOT
from gpu_guide.project import HERE

UNUSED = """
import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel


class First(nn.Sequential):
    def forward(self, x):
        return self[0](x)


dist.init_process_group("gloo", store=dist.HashStore(), rank=0, world_size=1)
model = DistributedDataParallel(First(nn.Linear(2, 2), nn.Linear(2, 2)))
try:
    for _ in range(2):
        model(torch.ones(1, 2)).sum().backward()
except RuntimeError as error:
    print(error)
dist.destroy_process_group()
"""


@pytest.mark.slow
def test_the_level_that_the_page_on_ddp_names_tells_the_parameters() -> None:
    named: dict[str, list[str]] = {}
    for lang in HERE.languages:
        page = (ROOT / "docs" / lang / "multi-gpu/ddp.md").read_text(encoding="utf-8")
        levels = set(re.findall(r"TORCH_DISTRIBUTED_DEBUG=(\w+)", page))
        assert levels, f"docs/{lang}/multi-gpu/ddp.md names no level: remove it from this test"
        for level in levels:
            named.setdefault(level, []).append(f"docs/{lang}/multi-gpu/ddp.md")
    for level, pages in named.items():  # a process a level: torch reads it when it is imported
        env = {**os.environ, "TORCH_DISTRIBUTED_DEBUG": level}
        run = subprocess.run(
            [sys.executable, "-c", UNUSED], env=env, capture_output=True, text=True, check=False
        )
        assert run.returncode == 0, f"{pages}: {level} ends DDP with status {run.returncode}"
        assert "1.weight" in run.stdout and "1.bias" in run.stdout, pages
