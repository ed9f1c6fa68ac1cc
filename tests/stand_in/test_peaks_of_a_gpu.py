"""Scripts that a real GPU has run are run dry again: their peaks are still what the record says."""

from __future__ import annotations

import pytest
import torch

from gpu_guide.dry_run.measured import Comparison, card_of, compared
from gpu_guide.dry_run.published import dry_peak
from gpu_guide.dry_run.run import Settings
from gpu_guide.project import HERE
from gpu_guide.stand_in.environments import CudaEnvironment

# Those that need torch alone, and no compiler of Triton's, and were run dry with this torch.
ALONE = [
    one
    for one in compared(HERE)
    if one.setting.is_own and not one.setting.needs and not one.setting.compile
    if torch.__version__.partition("+")[0] == one.dry.packages["torch"]
]


@pytest.mark.parametrize("one", ALONE, ids=lambda one: one.setting.id)
def test_a_script_runs_dry_as_it_did(one: Comparison, environment: CudaEnvironment) -> None:
    script = str(one.setting.path(HERE))
    card = card_of(one.by, HERE)
    found = dry_peak("", ["python", script], card, (), environment, Settings(steps=0))
    assert [found.allocated, found.reserved] == [one.dry.allocated, one.dry.reserved]
    assert abs(found.allocated / one.measured.allocated - 1) < 0.02
