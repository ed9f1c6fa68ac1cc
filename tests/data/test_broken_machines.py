"""Machines on which CUDA fails: malformed files of them, and what PyTorch said on each."""

from __future__ import annotations

from pathlib import Path

import pytest
from small_guides import begin

from gpu_guide.data.broken_machines import broken_machine, load_broken_machines
from gpu_guide.problems import GuideError
from gpu_guide.project import HERE

ENTRY = """- id: error-802
  what: Fabric Manager does not run
  settings: {STAND_IN_FAULT: "count=802"}
  answer: check/not-available#error-802

- id: hidden
  what: an empty variable
  settings: {CUDA_VISIBLE_DEVICES: ""}
  answer: check/not-available#hidden
"""


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


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("id: hidden", "id: error-802", ":6: id: 'error-802' again — keep one"),
        ("  what: an empty variable\n", "", ":6: what: missing — add"),
        ('""', "0", ":6: settings: {'CUDA_VISIBLE_DEVICES': 0} is not a mapping of texts"),
        ('{CUDA_VISIBLE_DEVICES: ""}', "{}", ":6: settings: none — set what makes"),
        ("CUDA_VISIBLE_DEVICES", "CUDA_VISIBLE", ":6: settings: 'CUDA_VISIBLE' — set STAND_IN"),
        ("not-available#hidden", "not-available", ":6: answer: 'check/not-available' — write it"),
        ("  answer: check/not-available#hidden\n", "", ":6: answer: both or neither of answer"),
        ("hidden\n  what", "hidden\n  survives: true\n  what", ":6: answer: both or neither"),
        ("  what: an", "  why: an", ":6: unknown key 'why' — the keys are id, what, settings"),
    ],
)
def test_malformed(tmp_path: Path, old: str, new: str, message: str) -> None:
    assert old in ENTRY
    files = {"data/broken_machines.yml": ENTRY.replace(old, new)}
    with pytest.raises(GuideError) as caught:
        load_broken_machines(begin(tmp_path, files=files))
    assert message in str(caught.value)
