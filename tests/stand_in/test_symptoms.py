"""PyTorch says on each broken machine what `records/broken` holds, and pages quote."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest
import torch

from gpu_guide.data.broken_machines import as_stand_ins
from gpu_guide.project import HERE
from gpu_guide.records import error_texts

MACHINES = as_stand_ins(HERE)
FILE = HERE.broken_records / f"torch-{torch.__version__.partition('+')[0]}.json"


@pytest.mark.parametrize("id", MACHINES)
def test_what_is_recorded_is_said(id: str) -> None:
    if not FILE.exists():
        pytest.skip(f"no record of torch {torch.__version__}: see `python -m gpu_guide symptoms`")
    variables = error_texts.unbiased(os.environ) | MACHINES[id].environment()
    _, now = error_texts.ask(Path(sys.executable), MACHINES[id], variables)
    recorded = error_texts.read(FILE)[1][id]
    assert (recorded.calls, recorded.ended) == (now.calls, now.ended)
