"""Snippets of check/hardware, on other reports than the page's, and against what NVIDIA says."""

from __future__ import annotations

import runpy
from pathlib import Path

import pytest

from gpu_guide.project import HERE

FOLDER = HERE.snippets / "check"


def printed(name: str, tmp_path: Path, capsys, *changes: tuple[str, str]) -> list[str]:
    """What the snippet prints, with `changes` in its text."""
    text = (FOLDER / f"{name}.py").read_text(encoding="utf-8")
    for old, new in changes:
        assert old in text, old
        text = text.replace(old, new)
    path = tmp_path / "x.py"
    path.write_text(text, encoding="utf-8")
    runpy.run_path(str(path))
    return capsys.readouterr().out.splitlines()


RESTART_APP = (13, 31, 32, 69, 94)
IGNORE = (43, 44, 63, 92)
RESET_GPU = (46, 62, 64, 95, 109, 119, 120)
"""As in xiderrorsmapping.csv of github.com/NVIDIA/NVSentinel, read on 2026-11-22."""


@pytest.mark.parametrize(
    ("numbers", "words"),
    [
        (RESTART_APP, "restart the program"),
        (IGNORE, ""),
        (RESET_GPU, "reset the GPU"),
        ((79,), "restart the machine"),
        ((999,), "look it up"),
    ],
)
def test_numbers_are_grouped_as_nvidia_does(numbers, words, tmp_path, capsys) -> None:
    for number in numbers:
        new = (": 79, GPU has fallen off the bus.", f": {number}")
        last = printed("read_xid", tmp_path, capsys, new)[-1]
        assert last.startswith(f"0000:af:00, {number}, ")
        assert words in last, last
        if numbers is IGNORE:
            assert "restart" not in last and "reset" not in last


def test_no_number_stands_in_two_groups() -> None:
    groups = runpy.run_path(str(FOLDER / "read_xid.py"))["ACTIONS"].values()
    assert sum(map(len, groups)) == len(set().union(*groups))


@pytest.mark.parametrize(
    ("pending", "failed", "words"),
    [
        ("No", "No", None),
        ("Yes", "No", "reset"),
        ("No", "Yes", "replaced"),
        ("Yes", "Yes", "replaced"),
    ],
)
def test_a_failed_remapping_is_worse_than_a_pending_one(
    pending, failed, words, tmp_path, capsys
) -> None:
    changes = (
        (
            "Pending                           : Yes",
            f"Pending                           : {pending}",
        ),
        ("Failure Occurred        : No", f"Failure Occurred        : {failed}"),
    )
    _, first, *rest = printed("read_ecc", tmp_path, capsys, *changes)
    if words is None:
        assert first.startswith("uncorrectable since")
    else:
        assert words in first and rest == ["uncorrectable since the driver was loaded: 1"]


def test_lines_without_a_number_are_skipped(tmp_path, capsys) -> None:
    """The page's own grep finds them: its pattern is NVRM or Xid."""
    other = "NVRM: GPU 0000:af:00.0: GPU has fallen off the bus.\n"
    plain = printed("read_xid", tmp_path, capsys)
    more = printed("read_xid", tmp_path, capsys, ("[May 6", other + "[May 6"))
    assert more == plain and len(plain) == 5


def test_each_gpu_of_a_report_is_told_of(tmp_path, capsys) -> None:
    second = """GPU 00000000:AF:00.0
    ECC Errors
        Volatile
            DRAM Uncorrectable            : 7
    Remapped Rows
        Pending                           : No
GPU 00000000:D8:00.0
    ECC Errors
        Volatile
            DRAM Uncorrectable            : N/A
    Remapped Rows                         : N/A
"""
    end = '"""\n\n# zh'
    lines = printed("read_ecc", tmp_path, capsys, (end, second + end))
    assert lines[0] == "00000000:86:00.0" and "reset" in lines[1]
    assert lines[3] == "00000000:AF:00.0" and lines[4].endswith(": 7")
    assert lines[5] == "00000000:D8:00.0" and lines[6].endswith(": N/A")
    assert len(lines) == 7


# nvmlClocksEventReason… of nvidia-ml-py 13.615.71, in the order of its file.
NVML = {
    "GpuIdle": 0x001,
    "ApplicationsClocksSetting": 0x002,
    "SwPowerCap": 0x004,
    "HwSlowdown": 0x008,
    "SyncBoost": 0x010,
    "SwThermalSlowdown": 0x020,
    "HwThermalSlowdown": 0x040,
    "HwPowerBrakeSlowdown": 0x080,
    "DisplayClockSetting": 0x100,
}


def test_every_reason_of_nvml_has_words() -> None:
    reasons = runpy.run_path(str(FOLDER / "throttle_reasons.py"))["REASONS"]
    assert list(reasons) == list(NVML.values())
    assert len(set(reasons.values())) == len(NVML)
    assert "temperature" in reasons[NVML["SwThermalSlowdown"]]
    assert "power" in reasons[NVML["SwPowerCap"]]
