"""Machines on which CUDA fails: what PyTorch said on each."""

from __future__ import annotations

import pytest

from gpu_guide.data.broken_machines import broken_machine, load_broken_machines
from gpu_guide.problems import GuideError
from gpu_guide.project import HERE


def test_every_error_of_cuda_that_is_asked_for_has_a_machine() -> None:
    faults = {one.settings.get("STAND_IN_FAULT", "") for one in load_broken_machines(HERE).values()}
    errors = {int(fault.split("=")[1].split("@")[0]) for fault in faults if fault}
    assert errors >= {2, 35, 46, 100, 101, 209, 700, 710, 719, 802, 803, 804, 999}
    kinds = {fault.split("=")[0] for fault in faults if fault}
    assert kinds >= {"count", "init", "launch", "synchronize", "malloc"}
    once = {fault for fault in faults if "@" in fault}
    assert once and faults - once


def test_a_machine_that_does_not_exist() -> None:
    with pytest.raises(GuideError, match=r"no broken machine 'error-82' — did you mean 'error-80"):
        broken_machine("error-82", HERE)
