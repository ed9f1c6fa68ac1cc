"""Scripts whose peaks a GPU shows: what is written, what fails, what has room beside another."""

from __future__ import annotations

import time
from dataclasses import replace
from pathlib import Path

import pytest
from fake_environments import GPU
from small_guides import begin

from gpu_guide.campaign import peaks
from gpu_guide.dry_run.measured import Measured, read_measured, with_older, write_measured
from gpu_guide.project import Project

DATA = """- {script: small, zh: "one", en: "one"}
- {script: broken, zh: "two", en: "two", needs: [torchvision]}
"""
PROGRAM = """
import json, runpy, sys
script, needs, *arguments = sys.argv[1:]
runpy.run_path(script)
print(json.dumps({"packages": {}, "allocated": 1, "reserved": 2, "driver": 3}))
"""


@pytest.fixture
def guide(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Project:
    monkeypatch.setattr(peaks, "_PROGRAM", PROGRAM)
    monkeypatch.setattr(peaks, "_FREE", "print(100)")
    folder = "tests/data/dry_run_measured"
    files = {f"{folder}/small.py": "print('hello')\n", f"{folder}/broken.py": "raise OSError(5)\n"}
    return begin(tmp_path, files={"data/dry_run_measured.yml": DATA, **files})


def test_what_the_gpu_showed_is_written_and_what_failed_is_told(
    guide: Project, tmp_path: Path
) -> None:
    said: list[str] = []
    until = time.monotonic() + 60
    assert peaks.measure(guide, tmp_path / "out", GPU, 2, until, said.append) == 1
    here, found = read_measured(tmp_path / "out" / f"{GPU.id}.json")
    assert here == GPU and list(found) == ["small"]
    assert isinstance(found["small"], Measured) and found["small"].driver == 3
    assert "  FAILED  broken: OSError: 5" in said


def test_the_same_command_goes_on_and_adopting_loses_nothing(
    guide: Project, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    out = tmp_path / "out"
    until = time.monotonic() + 60
    peaks.measure(guide, out, GPU, 2, until, print)
    script = guide.dry_run_measured_scripts / "broken.py"
    script.write_text("print(1)\n", encoding="utf-8")
    monkeypatch.setattr(peaks, "_PROGRAM", PROGRAM.replace('"driver": 3', '"driver": 4'))
    assert peaks.measure(guide, out, GPU, 2, until, print) == 0
    found = read_measured(out / f"{GPU.id}.json")[1]
    assert [found["small"].driver, found["broken"].driver] == [3, 4]
    again = write_measured(tmp_path / "again", GPU, {"broken": found["small"]})
    kept = with_older(again, out / f"{GPU.id}.json")
    assert kept == {"small": found["small"], "broken": found["small"]}
    other = write_measured(tmp_path / "other", replace(GPU, torch="2.99"), found)
    assert with_older(again, other) == {"broken": found["small"]}


def test_what_has_no_time_is_not_begun(guide: Project, tmp_path: Path) -> None:
    said: list[str] = []
    assert peaks.measure(guide, tmp_path / "out", GPU, 2, time.monotonic(), said.append) == 1
    assert said == [f"  FAILED  {name}: left for want of time" for name in ("small", "broken")]
    assert not (tmp_path / "out").exists()


def test_a_process_waits_for_room_and_gives_it_back() -> None:
    room = peaks._Room(100)
    with room.taken(60):
        assert room.free == 40
        with room.taken(30):
            assert room.free == 10
    with room.taken(1000):  # more than there is: alone
        assert room.free == 0
    assert room.free == 100
