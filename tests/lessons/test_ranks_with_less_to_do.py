"""Ranks with less data than others: what takes part, and what waits in vain."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from gpu_guide.project import HERE
from gpu_guide.run.outcome import Run
from gpu_guide.run.runner import Tier, run_source

pytestmark = pytest.mark.distributed

IN_VAIN = r"Timed out waiting|Application timeout|Connection closed by peer"
"""What gloo says (torch 2.13) when a rank has waited for its timeout, and what the other then."""


def run(source: str, time_limit: float = 60.0) -> Run:
    return run_source(source, Path("example.py"), Tier.TORCHRUN, processes=2, time_limit=time_limit)


def fails_waiting(source: str) -> bool:
    """Whether it fails because a rank waits in vain, with gloo for half of the time limit."""
    done = run(source, time_limit=10)
    print(done.problem)
    return done.outcome == "failed" and re.search(IN_VAIN, done.problem) is not None


def test_shares_of_unequal_size_need_the_model_inside_ddp() -> None:
    """With gradients, each forward pass of DDP broadcasts buffers: rank 0 does so once more."""
    path = HERE.snippets / "multi_gpu" / "evaluate_on_every_rank.py"
    source = path.read_text(encoding="utf-8")
    assert source.count("model.module(x)") == source.count("torch.no_grad()") == 1
    wrong = source.replace("model.module(x)", "model(x)").replace("no_grad()", "enable_grad()")
    assert fails_waiting(wrong)


NOTHING_TO_LEARN = """
import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel

dist.init_process_group("gloo")
rank = dist.get_rank()
torch.manual_seed(0)
model = DistributedDataParallel(torch.nn.Linear(2, 1, bias=False))
positive = torch.full((2,), rank == 0)  # rank 1 has none
pred = model(torch.ones(2, 2))
loss = LOSS
if loss is not None:
    loss.backward()
    assert model.module.weight.grad.tolist() == [[GRADIENT, GRADIENT]]
    assert bool(loss.isnan()) == (rank == 1 and IS_NAN)
dist.destroy_process_group()
"""


def nothing_to_learn(loss: str, gradient: float, is_nan: bool) -> str:
    source = NOTHING_TO_LEARN.replace("LOSS", loss)
    return source.replace("GRADIENT", str(gradient)).replace("IS_NAN", str(is_nan))


@pytest.mark.parametrize(
    ("loss", "gradient", "is_nan"),
    [
        ("pred[positive].sum() if positive.any() else pred.sum() * 0", 1.0, False),
        ("pred[positive].sum()", 1.0, False),
        ("pred[positive].mean()", 0.5, True),
    ],
    ids=["zero", "empty sum", "empty mean"],
)
def test_a_rank_without_positive_samples_takes_part(
    loss: str, gradient: float, is_nan: bool
) -> None:
    """With a zero or an empty sum, as answers/nccl says."""
    done = run(nothing_to_learn(loss, gradient, is_nan))
    assert done.outcome == "passed", done.problem


def test_a_rank_without_positive_samples_must_not_skip() -> None:
    skips = "pred[positive].sum() if positive.any() else None"
    assert fails_waiting(nothing_to_learn(skips, 1.0, False))
