"""What may help is applied as an author would write it: it has the peak of a script so changed."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from gpu_guide.dry_run.cards import chosen
from gpu_guide.dry_run.command import _tries, found_by
from gpu_guide.dry_run.report import as_json, lines
from gpu_guide.dry_run.run import Settings
from gpu_guide.dry_run.words import Words
from gpu_guide.project import HERE
from gpu_guide.stand_in.environments import CudaEnvironment

Dry = Callable[..., dict[str, Any]]
TRAIN = """
import torch
from torch import nn
from torch.utils.checkpoint import checkpoint

class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.up, self.down = nn.Linear(512, 2048), nn.Linear(2048, 512)

    def forward(self, x):
        return x + self.down(torch.nn.functional.gelu(self.up(x)))

class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.blocks = nn.ModuleList(Block() for _ in range(4))

    def forward(self, x):
        for block in self.blocks:
            x = block(x)
        return x

model = Model().cuda()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for step in range(2):
    x = torch.randn(4096, 512, device="cuda")
    loss = model(x).float().square().mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
"""
CHANGED = {
    "bfloat16": (
        "    loss = model(x).float().square().mean()",
        '    with torch.autocast("cuda", torch.bfloat16):\n'
        "        loss = model(x).float().square().mean()",
    ),
    "checkpointing": ("x = block(x)", "x = checkpoint(block, x, use_reentrant=False)"),
}


@pytest.fixture
def dry(environment: CudaEnvironment, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Dry:
    """`dry(code, "checkpointing")`: the report for programs, and the lines of it as `text`."""
    monkeypatch.chdir(tmp_path)

    def run(code: str, remedy: str = "", **more: Any) -> dict[str, Any]:
        (tmp_path / "train.py").write_text(code, encoding="utf-8")
        settings = Settings(more={"GPU_GUIDE_DRY_RUN_TRY": remedy} if remedy else {})
        card = more.pop("card", "rtx-4060")
        command, say = ["python", "train.py"], Words("en")
        where = (HERE, environment, chosen(card, HERE), command, settings)
        found, cards = found_by(*where, say=say, **more)
        return as_json(found, cards) | {"text": "\n".join(lines(found, cards, say))}

    return run


@pytest.mark.parametrize("remedy", CHANGED)
def test_it_is_the_peak_of_the_script_that_does_it(dry: Dry, remedy: str) -> None:
    before, after = CHANGED[remedy]
    assert before in TRAIN
    plain, tried = dry(TRAIN), dry(TRAIN, remedy)
    written = dry(TRAIN.replace(before, after))
    assert tried["peak"]["allocated"] == written["peak"]["allocated"] < plain["peak"]["allocated"]
    # Who does it already gains nothing.
    assert dry(TRAIN.replace(before, after), remedy)["peak"] == written["peak"]


def test_a_model_without_blocks_is_told_as_such(dry: Dry) -> None:
    code = 'import torch\ntorch.nn.Linear(8, 8, device="cuda")(torch.ones(1, 8, device="cuda"))\n'
    report = dry(code, tries=True)
    assert "torch.utils.checkpoint: nothing to try it on" in report["text"]
    assert "torch.utils.checkpoint" not in report["tried"] and "foreach=False" in report["tried"]


def test_what_does_not_fit_names_the_way_to_try(dry: Dry) -> None:
    code = 'import torch\ntorch.ones(2**32, device="cuda")\n'
    assert "With --try the script runs again" in dry(code)["text"]


@pytest.mark.parametrize(("card", "dtype"), [("t4", "float16"), ("rtx-4060", "bfloat16")])
def test_the_dtype_is_one_that_the_card_computes_in(card: str, dtype: str) -> None:
    assert f'torch.autocast("cuda", torch.{dtype})' in _tries(chosen(card, HERE))
