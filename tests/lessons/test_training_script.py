"""The training script that grows: its stages train the same."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from gpu_guide.project import HERE
from gpu_guide.run.runner import Tier, run_source
from gpu_guide.snippets.model import Snippet, parse

NAMES = [
    "on_one_gpu",
    "in_mixed_precision",
    "with_accumulation",
    "and_resume",
    "with_ddp",
    "with_fsdp2",
]
STAGES = [parse(HERE.snippets / "multi_gpu" / f"train_{name}.py", HERE) for name in NAMES]
IDS = [stage.name.rpartition("/")[2] for stage in STAGES]
TWICE = "main(stop=9)\nmain()\n"
"""How a stage that can resume ends: interrupted, and started again."""


# --- The stages train the same -------------------------------------------------------------------


def source(stage: Snippet, *changes: tuple[str, str]) -> str:
    """Its code, printing more digits, with other `changes`."""
    text = stage.source
    for old, new in ((":.2f}", ":.7f}"), *changes):
        assert old in text, old
        text = text.replace(old, new)
    return text


def lines(
    stage: Snippet,
    *changes: tuple[str, str],
    processes: int | None = None,
    folder: Path | None = None,
) -> list[str]:
    """What it prints so: on another number of `processes`, in a `folder` with files of others."""
    tier = Tier.TORCHRUN if stage.needs.kind == "torchrun" else Tier.CPU
    text = source(stage, *changes)
    if folder:
        text = f"import os\nos.chdir({str(folder)!r})\n{text}"
    processes = processes or stage.needs.count
    run = run_source(text, stage.path, tier, processes=processes, leaves=stage.leaves)
    assert run.outcome == "passed", run.problem
    return [row for _, printed in run.calls for row in printed.split("\n")]


def losses(rows: list[str]) -> list[float]:
    found = [re.match(r"test loss (\S+), .* of 21 right", row) for row in rows]
    return [float(match[1]) for match in found if match]


IN_FLOAT32 = {"train_on_one_gpu": [], "train_with_fsdp2": [("torch.bfloat16", "torch.float32")]}
"""How each stage computes in float32, where nothing but the order of additions differs."""
NO_AUTOCAST = [("(device.type, DTYPE)", "(device.type, enabled=False)")]


@pytest.fixture(scope="module")
def first() -> list[float]:
    """The losses of the first stage, after each epoch."""
    found = losses(lines(STAGES[0]))
    assert len(found) == 4 and found == sorted(found, reverse=True)
    return found


SLOW = [
    pytest.param(
        stage, id=name, marks=[pytest.mark.distributed] if "torchrun" in str(stage.needs) else []
    )
    for stage, name in zip(STAGES, IDS, strict=True)
]


@pytest.mark.parametrize("stage", SLOW[1:])
def test_in_float32_every_stage_has_the_losses_of_the_first(stage: Snippet, first) -> None:
    name = stage.name.rpartition("/")[2]
    found = lines(stage, *IN_FLOAT32.get(name, NO_AUTOCAST))
    assert losses(found) == pytest.approx(first, abs=2e-6)
    assert ("resumed at step 8" in found) == ("resume" in stage.source)


@pytest.mark.parametrize("stage", SLOW[1:])
def test_in_the_precision_of_the_page_they_are_close(stage: Snippet, first) -> None:
    assert losses(lines(stage)) == pytest.approx(first, abs=0.03)


# --- Interrupted or not, it is the same ----------------------------------------------------------

ONCE = (TWICE, "main()\n")
RANDOM = ("nn.ReLU()", "nn.Dropout(0.2)")
"""A layer that draws random numbers in each forward pass."""
HALF = ("torch.bfloat16", "torch.float16")
"""A type for which the loss is scaled, so that the scaler has a state."""


@pytest.mark.parametrize("stage", SLOW[3:])
def test_a_resumed_training_equals_one_that_was_not_interrupted(stage: Snippet) -> None:
    interrupted = lines(stage, RANDOM, HALF)
    assert interrupted.pop(1) == "resumed at step 8"
    assert interrupted == lines(stage, RANDOM, HALF, ONCE)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("    set_random_state(state", "    (state"),
        ("generator=own", "generator=None"),
        ("sampler.skip = done", "sampler.skip = 0 * done"),
        ('"scheduler": scheduler, ', ""),
        (', "optimizer": optimizer', ""),
    ],
    ids=["random state", "generator of the loader", "place in the epoch", "scheduler", "optimizer"],
)
def test_whatever_is_left_out_changes_what_follows(old: str, new: str) -> None:
    stage = STAGES[3]
    rows = lines(stage, RANDOM, HALF, (old, new))
    assert rows.pop(1) == "resumed at step 8"
    assert rows[1:] != lines(stage, RANDOM, HALF, ONCE)[1:]


# --- Other numbers of processes ------------------------------------------------------------------


@pytest.mark.distributed
@pytest.mark.parametrize(
    "stage", [pytest.param(s, id=i) for s, i in zip(STAGES[4:], IDS[4:], strict=True)]
)
def test_saved_by_two_and_resumed_by_four_trains_the_same(stage: Snippet, first, tmp_path) -> None:
    """The global batch does not depend on the number of processes, nor does the checkpoint."""
    changes = IN_FLOAT32.get(stage.name.rpartition("/")[2], NO_AUTOCAST)
    begun = lines(stage, *changes, (TWICE, "main(stop=9)\n"), folder=tmp_path)
    went_on = lines(stage, *changes, ONCE, processes=4, folder=tmp_path)
    assert went_on[0] == "resumed at step 8"
    assert losses([*begun, *went_on]) == pytest.approx(first, abs=2e-6)
