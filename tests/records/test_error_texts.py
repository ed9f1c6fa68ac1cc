"""The records of what PyTorch says on broken machines: written, read, asked again when stale."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from pathlib import Path
from types import SimpleNamespace

import pytest
from small_guides import edit

from gpu_guide.problems import GuideError
from gpu_guide.project import Project
from gpu_guide.records import error_texts
from gpu_guide.stand_in.machine import StandIn

CUDA = SimpleNamespace(torch="2.13.0+cu130", python=Path(sys.executable))
PROGRAM = """
import json, os
version = {"torch": os.environ["VERSION"], "cuda": "13.0", "python": "3", "system": "Linux"}
print(json.dumps(version), flush=True)
error = os.environ["STAND_IN_FAULT"]
print(json.dumps(["init()", ["UserWarning: careful", f"RuntimeError: {error}: why"]]), flush=True)
if error == "dies":
    os.kill(os.getpid(), 6)
"""


def machine(fault: str) -> StandIn:
    settings = {"STAND_IN_FAULT": fault}
    return StandIn("a", "A GPU", 8192, "8.9", multiprocessors=24, settings=settings)


@pytest.fixture(autouse=True)
def program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A program in place of PyTorch's calls, on which no stand-in has to be built."""
    path = tmp_path / "program.py"
    path.write_text(PROGRAM, encoding="utf-8")
    monkeypatch.setattr(error_texts, "PROGRAM", path)
    monkeypatch.setenv("VERSION", "2.13.0+cu130")
    made: Mapping[str, str] = os.environ
    monkeypatch.setattr(error_texts, "variables", lambda cuda, m, around: made | m.environment())
    return path


def record(folder: Path, machines: Mapping[str, StandIn], again: tuple[str, ...] = ()) -> list[str]:
    """The ids of the machines that were asked."""
    lines: list[str] = []
    error_texts.record(
        machines, CUDA, Project(folder).broken_records, again=again, say=lines.append
    )
    return [line.split()[1].rstrip(":") for line in lines]


def test_what_is_said_is_written_and_read(tmp_path: Path) -> None:
    assert record(tmp_path, {"a": machine("35"), "b": machine("dies")}) == ["a", "b"]
    (path,) = error_texts.files(Project(tmp_path))
    here, told = error_texts.read(path)
    assert (path.name, here.torch) == ("torch-2.13.0.json", "2.13.0+cu130")
    assert told["a"].calls == {"init()": ("UserWarning: careful", "RuntimeError: 35: why")}
    assert told["a"].words == ("careful", "35: why")
    assert (told["a"].ended, told["b"].ended) == ("ok", "SIGABRT")


def test_only_what_changed_is_asked_again(tmp_path: Path, program: Path) -> None:
    machines = {"a": machine("1"), "b": machine("2"), "c": machine("3")}
    record(tmp_path, machines)
    assert record(tmp_path, machines) == []
    assert record(tmp_path, machines, again=("b",)) == ["b"]
    machines["a"] = machine("4")
    assert record(tmp_path, machines) == ["a"]
    del machines["c"]
    assert record(tmp_path, machines) == []
    (path,) = error_texts.files(Project(tmp_path))
    assert error_texts.read(path)[1].keys() == {"a", "b"}
    program.write_text(PROGRAM + "# a comment\n", encoding="utf-8")
    assert record(tmp_path, machines) == []
    program.write_text(PROGRAM + "pass\n", encoding="utf-8")
    assert record(tmp_path, machines) == ["a", "b"]


def test_what_is_behind_is_told(tmp_path: Path) -> None:
    record(tmp_path, {"a": machine("1"), "b": machine("2")})
    (path,) = error_texts.files(Project(tmp_path))
    now = {"a": machine("1"), "b": machine("3"), "c": machine("4")}
    first, second = error_texts.behind({path: error_texts.read(path)}, now)
    assert "torch-2.13.0.json: b: changed since this was said — run" in str(first)
    assert "torch-2.13.0.json: c: nothing is recorded — run" in str(second)
    assert not list(error_texts.behind({path: None}, now))


def test_other_versions_are_asked_everything(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    machines = {"a": machine("1"), "b": machine("2")}
    record(tmp_path, machines)
    monkeypatch.setenv("VERSION", "2.13.0+cu132")
    assert record(tmp_path, machines, again=("b",)) == ["b", "a"]
    assert record(tmp_path, machines) == []


def test_a_program_that_does_not_begin(tmp_path: Path, program: Path) -> None:
    program.write_text("raise OSError('libcudart.so.13 is missing')\n", encoding="utf-8")
    match = r"did not begin to answer: (?s:.*)libcudart.so.13 is missing"
    with pytest.raises(GuideError, match=match):
        record(tmp_path, {"a": machine("1")})
    assert not error_texts.files(Project(tmp_path))


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("35: why", "36: why", "recorder alone writes records"),
        ('"ended"', '"end"', "not the keys 'sha256', 'calls', 'ended'"),
        ('"ended": "ok"', '"ended": 0', "sha256 or ended is no text"),
        ('"UserWarning: careful"', "7", "not a list of texts for each call"),
    ],
)
def test_a_file_that_was_edited(tmp_path: Path, old: str, new: str, message: str) -> None:
    record(tmp_path, {"a": machine("35")})
    (path,) = error_texts.files(Project(tmp_path))
    edit(path, old, new, -1)
    with pytest.raises(GuideError, match=message):
        error_texts.read(path)


def test_nothing_that_cuda_obeys_is_handed_on() -> None:
    around = {"CUDA_VISIBLE_DEVICES": "0", "CUDA_LAUNCH_BLOCKING": "1", "PYTHONPATH": "x", "A": "b"}
    assert error_texts.unbiased(around) == {"A": "b"}
