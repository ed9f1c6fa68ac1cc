"""Records: written and read back, refused when damaged, never lost."""

from __future__ import annotations

import json
from dataclasses import MISSING, asdict, fields, replace

import pytest
from fake_environments import CPU, GPU, NO_GPU

from gpu_guide.problems import GuideError
from gpu_guide.project import HERE, Project
from gpu_guide.records.recorder import record
from gpu_guide.records.store import SCHEMA, Entry, Record, load_records, merge, path_of, read, write
from gpu_guide.run.machine import Environment, slug
from gpu_guide.snippets.model import Printed


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


def test_every_record_of_the_project_can_be_read():
    for made in load_records(HERE):
        assert made.entries, made.environment.id
