"""Records: written and read back, refused when damaged, never lost; and `make record` itself."""

from __future__ import annotations

import json
import os
import re
import time
from dataclasses import MISSING, asdict, fields, replace

import pytest
from fake_environments import CPU, GPU, NO_GPU
from small_guides import begin

from gpu_guide.problems import GuideError
from gpu_guide.project import HERE, Project
from gpu_guide.records.recorder import record
from gpu_guide.records.store import SCHEMA, Entry, Record, load_records, merge, path_of, read, write
from gpu_guide.run.machine import Environment, slug
from gpu_guide.run.outcome import Run
from gpu_guide.run.runner import start_snippet
from gpu_guide.snippets.model import Printed, load_snippets


@pytest.fixture
def snippets(tmp_path):
    """Three snippets that ran, of which one needs two GPUs."""
    files = {
        "a": 'print("one")\n',
        "b": 'print("two")\nprint("deux")\n',
        "two": '# needs: cuda:2\n\nprint("three")\n',
    }
    for name, code in files.items():
        path = tmp_path / "snippets" / "t" / f"{name}.py"
        path.parent.mkdir(parents=True, exist_ok=True)
        blank = "" if code.startswith("#") else "\n"
        path.write_text(f'"""Title.\n\n标题。\n"""\n{blank}{code}', encoding="utf-8")
    guide = begin(tmp_path)
    return lambda: load_snippets(guide)


@pytest.mark.parametrize(
    ("gpu", "name"),
    [
        ("NVIDIA H100 80GB HBM3", "nvidia-h100"),
        ("NVIDIA A100-SXM4-40GB", "nvidia-a100"),
        ("NVIDIA A100-PCIE-40GB", "nvidia-a100"),
        ("NVIDIA GeForce RTX 4060 Laptop GPU", "nvidia-geforce-rtx-4060-laptop-gpu"),
        ("Tesla V100-SXM2-16GB", "tesla-v100"),
        ("", "gpu"),
    ],
)
def test_a_record_is_named_after_the_gpu(gpu, name):
    assert slug(gpu) == name


def test_what_is_written_is_read_back(tmp_path):
    made = Record(
        GPU,
        {"t/a": Entry("0" * 64, (Printed(0, "显存\n二"), Printed(1, "")), 0.25, 2, "2026-12-01")},
    )
    guide = Project(tmp_path)
    path = write(made, guide.records)
    assert path == guide.records / "nvidia-h100.json"
    assert read(path) == made
    assert load_records(guide) == [made]
    assert "显存" in path.read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("damage", "says"),
    [
        (lambda c: "{", "not JSON"),
        (lambda c: b"\xff", "not UTF-8"),
        (lambda c: c | {"more": 1}, "top: not the keys"),
        (lambda c: c | {"schema": 99}, "schema: 99 is none of 1 to 3: is it newer?"),
        (lambda c: c | {"environment": {}}, "environment: not the keys"),
        (lambda c: c | {"environment": c["environment"] | {"shoe": 1}}, "environment: not the"),
        (lambda c: c | {"environment": c["environment"] | {"wsl": 1}}, "environment.wsl"),
        (lambda c: c | {"environment": c["environment"] | {"gpus": "1"}}, "environment.gpus"),
        (lambda c: c | {"environment": c["environment"] | {"id": "other"}}, "not the file's name"),
        (lambda c: c | {"snippets": []}, "snippets: not an object"),
        (lambda c: c | {"snippets": {"t/a": {"sha256": ""}}}, "snippets['t/a']"),
        (
            lambda c: c | {"snippets": {"t/a": c["snippets"]["t/a"] | {"prints": ["x"]}}},
            "not a list of [statement, text]",
        ),
        (
            lambda c: c | {"snippets": {"t/a": c["snippets"]["t/a"] | {"seconds": "1"}}},
            "seconds is no number",
        ),
        (
            lambda c: c | {"snippets": {"t/a": c["snippets"]["t/a"] | {"sha256": 1}}},
            "sha256 is no text",
        ),
        (
            lambda c: c | {"snippets": {"t/a": c["snippets"]["t/a"] | {"attempts": 0}}},
            "0 is no count",
        ),
    ],
)
def test_a_damaged_record_is_refused_with_file_and_place(tmp_path, damage, says):
    path = write(
        Record(GPU, {"t/a": Entry("0" * 64, (Printed(0, "x"),), 0.25)}), tmp_path / "records"
    )
    damaged = damage(json.loads(path.read_text(encoding="utf-8")))
    if isinstance(damaged, dict):
        damaged = json.dumps(damaged)
    path.write_bytes(damaged if isinstance(damaged, bytes) else damaged.encode())
    with pytest.raises(GuideError) as caught:
        load_records(Project(tmp_path))
    assert says in str(caught.value)
    assert "nvidia-h100.json" in str(caught.value) and "make record" in str(caught.value)


@pytest.mark.parametrize(
    ("old", "new", "where"),
    [
        ('"x"', '"y"', "snippets['t/a']"),
        ('"seconds": 0.25', '"seconds": 0.2', "snippets['t/a']"),
        ('"driver": "580.1"', '"driver": "590.1"', "environment"),
        ('"digest"', '"attempts": 2, "digest"', "snippets['t/a']"),
    ],
)
def test_what_was_edited_by_hand_is_told_by_file_and_entry(tmp_path, old, new, where):
    entries = {name: Entry("0" * 64, (Printed(0, "x"),), 0.25) for name in ("t/a", "t/b")}
    path = write(Record(GPU, entries), tmp_path / "records")
    head, found, tail = (text := path.read_text("utf-8")).rpartition('"t/a"')
    edited = f"{head}{found}{tail.replace(old, new, 1)}" if where != "environment" else None
    path.write_text(edited or text.replace(old, new, 1), encoding="utf-8")
    with pytest.raises(GuideError) as caught:
        load_records(Project(tmp_path))
    (problem,) = caught.value.problems
    assert str(problem).startswith(f"{path.as_posix()}:{where}: changed since it was recorded — ")
    assert "git restore" in problem.remedy


def test_an_entry_of_another_machine_or_of_nobody_is_told(tmp_path):
    entry = Entry("0" * 64, (Printed(0, "x"),), 0.25)
    path = write(Record(GPU, {"t/a": entry}), tmp_path)
    theirs = json.loads(write(Record(NO_GPU, {"t/b": entry}), tmp_path).read_text("utf-8"))
    ours = json.loads(path.read_text("utf-8"))
    unsealed = {k: v for k, v in ours["snippets"]["t/a"].items() if k != "digest"}
    ours["snippets"] |= theirs["snippets"] | {"t/c": unsealed}
    path.write_text(json.dumps(ours), encoding="utf-8")
    with pytest.raises(GuideError) as caught:
        read(path)
    places = {problem.line: problem.what for problem in caught.value.problems}
    assert places.keys() == {"snippets['t/b']", "snippets['t/c']"}
    assert "changed since" in places["snippets['t/b']"]
    assert "without the checksum" in places["snippets['t/c']"]


def test_a_record_of_the_first_layout_is_read_as_it_was_meant(tmp_path):
    """Without a number and without fields that came later; an entry for each printed line."""
    old = asdict(GPU)
    del old["wsl"], old["mig"]
    entry = {"sha256": "0" * 64, "prints": [[0, "a"], [0, "b"], [2, ""]], "seconds": 0.25}
    path = path_of(GPU.id, tmp_path)
    path.write_text(json.dumps({"environment": old, "snippets": {"t/a": entry}}), "utf-8")
    made = read(path)
    prints = (Printed(0, "a\nb"), Printed(2, ""))
    assert made == Record(GPU, {"t/a": Entry("0" * 64, prints, 0.25)})
    assert read(write(made, tmp_path)) == made
    assert json.loads(path.read_text("utf-8"))["schema"] == SCHEMA


def test_a_field_that_a_record_does_not_know_needs_a_default():
    """The fields of the first layout are the only ones that every record has."""
    first = ["id", "gpu", "gpus", "driver", "cuda", "torch", "python", "system", "date"]
    assert [field.name for field in fields(Environment) if field.default is MISSING] == first


def test_an_entry_is_fresh_only_while_its_code_is_the_same(snippets, tmp_path):
    snippet = snippets()["t/a"]
    made = Record(GPU, {"t/a": Entry(snippet.sha256, (Printed(0, "one"),), 0.1)})
    assert made.fresh(snippet) and not made.stale(snippet)
    assert made.fresh(snippets()["t/b"]) is None and not made.stale(snippets()["t/b"])
    snippet.path.write_text(snippet.source.replace("one", "1"), encoding="utf-8")
    assert made.fresh(snippets()["t/a"]) is None and made.stale(snippets()["t/a"])


def test_merging_keeps_what_did_not_run_unless_versions_changed():
    old = Record(GPU, {"t/a": Entry("a", (), 1.0), "t/gone": Entry("g", (), 1.0)})
    new = Record(replace(GPU, date="2026-12-01"), {"t/b": Entry("b", (), 1.0)})
    assert merge(old, new, {"t/a", "t/b"}).entries.keys() == {"t/a", "t/b"}
    merged = merge(old, new, {"t/a", "t/b"})
    assert merged.environment.date == GPU.date  # of some entry; the other has its own
    days = {name: merged.machine(name).date for name in ("t/a", "t/b")}
    assert days == {"t/a": GPU.date, "t/b": "2026-12-01"}
    newer = Record(replace(GPU, torch="2.15.0"), new.entries)
    assert merge(old, newer, {"t/a", "t/b"}) == newer
    assert merge(None, new, {"t/b"}) == new


def test_a_cpu_build_has_nothing_to_record(snippets, tmp_path):
    said = []
    folder = tmp_path / "records"
    assert record(project=Project(tmp_path), here=CPU, say=said.append) == 2
    assert "stands in the snippets" in said[0] and not folder.exists()


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
        source = tmp_path / "snippets" / f"{name}.py"
        text = source.read_text("utf-8")
        assert old in text
        source.write_text(text.replace(old, new), encoding="utf-8")

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


def test_every_record_of_the_project_can_be_read():
    for made in load_records(HERE):
        assert made.entries, made.environment.id


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
