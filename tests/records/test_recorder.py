"""`make record`: what it runs, keeps, tells and tries again."""

from __future__ import annotations

import os
import re
import time
from dataclasses import replace

import pytest
from fake_environments import GPU, NO_GPU
from small_guides import edit

from gpu_guide.problems import GuideError
from gpu_guide.project import Project
from gpu_guide.records.recorder import record
from gpu_guide.records.store import Entry, Record, load_records, path_of, read, write
from gpu_guide.run.outcome import Run
from gpu_guide.run.runner import start_snippet
from gpu_guide.snippets.model import Printed


@pytest.fixture
def recording(snippets, tmp_path):
    """Record with some options; the exit status, what was said, and the record after it."""

    def recording(*names, here=NO_GPU, **options):
        said, folder = [], tmp_path / "records"
        status = record(names, project=Project(tmp_path), here=here, say=said.append, **options)
        return status, "\n".join(said), read(path_of(here.id, folder))

    return recording


@pytest.fixture
def rewrite(tmp_path):
    def rewrite(name, old, new):
        edit(tmp_path / "snippets" / f"{name}.py", old, new, -1)

    return rewrite


def test_recording_runs_what_can_run_here_and_says_what_changed(recording, rewrite):
    status, said, first = recording()
    assert status == 0
    assert first.entries["t/b"].prints == (Printed(0, "two"), Printed(1, "deux"))
    assert first.entries.keys() == {"t/a", "t/b"}
    assert "not here  t/two: needs 2 GPUs" in said
    rewrite("t/a", "one", "uno")
    status, said, second = recording(again=True)
    assert status == 0 and "changed   t/a" in said and "+print 1: uno" in said
    assert "same      t/b" in said
    assert second.entries["t/a"].prints == (Printed(0, "uno"),)


def test_a_failure_is_told_and_loses_nothing(recording, rewrite):
    before = recording()[2]
    rewrite("t/a", 'print("one")', "raise OSError('gone')")
    status, said, after = recording()
    assert status == 1 and "FAILED    t/a" in said and "OSError: gone" in said
    assert after.entries["t/a"] == before.entries["t/a"]


def test_a_part_is_recorded_and_the_rest_is_kept(recording, rewrite):
    before = recording()[2]
    rewrite("t/b", "deux", "zwei")
    status, said, after = recording("t/b")
    assert status == 0 and "t/a" not in said
    assert after.entries["t/b"].prints[1] == Printed(1, "zwei")
    assert after.entries["t/a"] == before.entries["t/a"]
    assert recording("t")[2].entries == after.entries  # a topic


def test_what_is_kept_keeps_its_day(recording, rewrite):
    recording()
    rewrite("t/b", "deux", "zwei")
    after = recording(here=replace(NO_GPU, date="2027-01-01"))[2]
    days = {name: after.machine(name).date for name in after.entries}
    assert days == {"t/a": NO_GPU.date, "t/b": "2027-01-01"}
    assert after.environment.date == NO_GPU.date and not after.entries["t/a"].date
    again = recording(again=True, here=replace(NO_GPU, date="2027-01-01"))[2]
    assert again.environment.date == "2027-01-01"
    assert not any(entry.date for entry in again.entries.values())


class Ended:
    """A run that has ended before anybody asks, with `run`."""

    latest = 0.0

    def __init__(self, run):
        self.run, (self.sentinel, end) = run, os.pipe()
        os.close(end)

    def finish(self):
        self.stop()
        return self.run

    def stop(self):
        os.close(self.sentinel)


def test_an_interrupted_run_goes_on_where_it_stopped(recording, monkeypatch, tmp_path):
    ran = []

    def interrupted(snippet, tier, **options):
        ran.append(snippet.name)
        if len(ran) == 2:
            raise KeyboardInterrupt
        return start_snippet(snippet, tier, **options)

    monkeypatch.setattr("gpu_guide.records.recorder.start_snippet", interrupted)
    with pytest.raises(KeyboardInterrupt):
        recording()
    assert load_records(Project(tmp_path))[0].entries.keys() == {"t/a"}
    status, said, after = recording()
    assert (status, ran) == (0, ["t/a", "t/b", "t/b"])
    assert after.entries.keys() == {"t/a", "t/b"} and "1 are of this code" in said
    recording()
    assert len(ran) == 3
    recording("t/a", again=True)
    assert ran[3:] == ["t/a"]


def test_without_time_nothing_begins_and_what_is_left_is_said(recording):
    status, said, after = recording(until=time.monotonic())
    assert status == 1 and not after.entries
    assert "2 left for want of time" in said and "\n  t/a t/b" in said
    status, said, after = recording(until=time.monotonic() + 60, jobs=2)
    assert status == 0 and after.entries.keys() == {"t/a", "t/b"} and "left" not in said


def test_what_time_ends_is_left_and_no_failure(recording, rewrite):
    rewrite("t/a", 'print("one")', 'import time\n\ntime.sleep(60)\nprint("one")')
    recording("t/b")
    status, said, after = recording(until=time.monotonic() + 3)
    assert status == 1 and "FAILED" not in said
    assert "1 left for want of time" in said and after.entries.keys() == {"t/b"}


def test_a_crash_costs_that_snippet_only(recording, rewrite):
    rewrite("t/a", 'print("one")', "import os\n\nos.abort()")
    status, said, after = recording(jobs=2)
    assert status == 1 and "FAILED    t/a" in said and "crashed (SIGABRT)" in said
    assert after.entries.keys() == {"t/b"}


def test_a_record_can_lie_in_another_folder_and_go_on_there(recording, tmp_path):
    elsewhere = tmp_path / "brought"
    said = []
    options = {"project": Project(tmp_path), "here": NO_GPU, "say": said.append}
    assert record(("t/a",), folder=elsewhere, **options) == 0
    assert record(folder=elsewhere, **options) == 0
    assert read(path_of(NO_GPU.id, elsewhere)).entries.keys() == {"t/a", "t/b"}
    assert "1 are of this code" in said[-1] and not (tmp_path / "records").exists()


def test_an_entry_of_a_snippet_that_is_gone_goes(recording, tmp_path):
    recording()
    (tmp_path / "snippets" / "t" / "a.py").unlink()
    status, said, after = recording()
    assert status == 0 and "dropped   t/a" in said and after.entries.keys() == {"t/b"}


def test_a_part_with_other_versions_would_lose_the_rest(recording, tmp_path):
    before = recording()[2]
    newer = replace(NO_GPU, torch="2.15.0")
    with pytest.raises(GuideError, match=r"run `make record` without names"):
        recording("t/a", here=newer)
    assert load_records(Project(tmp_path)) == [before]
    assert recording(here=newer)[2].environment.torch == "2.15.0"


@pytest.mark.parametrize(
    ("name", "says"), [("t/bb", "did you mean 't/b'?"), ("zzz", "topics are t")]
)
def test_an_unknown_name_is_refused_before_anything_runs(recording, name, says):
    with pytest.raises(GuideError, match=re.escape(f"no snippet {name!r} — ") + ".*" + says):
        recording("t/a", name)


def test_out_of_memory_without_nvml_is_not_the_codes_failure(recording, monkeypatch):
    """As on a MIG instance: PyTorch asserts where it would otherwise raise OutOfMemoryError."""
    text = 'NVML_SUCCESS == r INTERNAL ASSERT FAILED at "/pytorch/c10/cuda/x.cpp":1154, please'

    def fails(snippet, tier, **options):
        if snippet.name == "t/b":
            return Ended(Run("failed", f"b.py:6: RuntimeError: {text}", (), 0.1))
        return start_snippet(snippet, tier, **options)

    monkeypatch.setattr("gpu_guide.records.recorder.start_snippet", fails)
    status, said, after = recording()
    assert status == 0 and "not here  t/b: needs NVML" in said
    assert after.entries.keys() == {"t/a"}


@pytest.mark.parametrize(("measures", "runs"), [(True, 3), (False, 1)])
def test_only_what_measures_is_tried_again(recording, rewrite, monkeypatch, measures, runs):
    attempts = []

    def third_time(snippet, tier, **options):
        attempts.append(snippet.name)
        if len(attempts) < 3:
            problem = "a.py:6: AssertionError: 1.1 is not less than 1\n…"
            return Ended(Run("failed", problem, (), 0.1))
        return start_snippet(snippet, tier, **options)

    if measures:
        rewrite("t/a", '"""\n\nprint', '"""\n# measures: yes\n\nprint')
    recording("t/b")
    monkeypatch.setattr("gpu_guide.records.recorder.start_snippet", third_time)
    status, said, after = recording("t/a")
    assert len(attempts) == runs and (status == 0) is measures
    if measures:
        assert after.entries["t/a"].attempts == 3
        assert said.count("once more t/a: a.py:6: AssertionError: 1.1 is not less than 1") == 2


def test_a_stand_in_has_no_clock(tmp_path):
    stand_in = replace(GPU, id="stand-in-h100-torch-2.13.0", stand_in="h100")
    entry = Entry("0" * 64, (Printed(0, "a"),), None)
    path = write(Record(stand_in, {"t/a": entry}), tmp_path)
    assert "seconds" not in path.read_text(encoding="utf-8")
    assert read(path).entries == {"t/a": entry}
    for environment, seconds in ((stand_in, 0.5), (GPU, None)):
        path = write(Record(environment, {"t/a": replace(entry, seconds=seconds)}), tmp_path)
        with pytest.raises(GuideError, match=r"snippets\['t/a'\].seconds"):
            read(path)
