"""Records: written and read back, refused when damaged, never lost; and `make record` itself."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from gpu_guide.environment import Environment, slug
from gpu_guide.recorder import record
from gpu_guide.records import Entry, Record, RecordError, load_records, merge, path_of, read, write
from gpu_guide.snippets import Printed, load_snippets

GPU = Environment(
    id="nvidia-h100",
    gpu="NVIDIA H100 80GB HBM3",
    gpus=1,
    driver="580.1",
    cuda="13.0",
    torch="2.11.0+cu130",
    python="3.12.1",
    system="Linux x86_64",
    date="2026-11-21",
)
NO_GPU = replace(GPU, id="cuda-build-no-gpu", gpu="", gpus=0, driver="")
CPU = replace(NO_GPU, id="cpu", cuda="", torch="2.13.0+cpu")


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
    return lambda: load_snippets(tmp_path / "snippets")


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
    made = Record(GPU, {"t/a": Entry("0" * 64, (Printed(0, "显存"), Printed(1, "")), 0.25)})
    path = write(made, tmp_path)
    assert path == tmp_path / "nvidia-h100.json"
    assert read(path) == made
    assert load_records(tmp_path) == [made]
    assert "显存" in path.read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("damage", "says"),
    [
        (lambda c: "{", "not JSON"),
        (lambda c: b"\xff", "not UTF-8"),
        (lambda c: c | {"more": 1}, "top: not the keys"),
        (lambda c: c | {"environment": {}}, "environment: not the keys"),
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
    ],
)
def test_a_damaged_record_is_refused_with_file_and_place(tmp_path, damage, says):
    path = write(Record(GPU, {"t/a": Entry("0" * 64, (Printed(0, "x"),), 0.25)}), tmp_path)
    damaged = damage(json.loads(path.read_text(encoding="utf-8")))
    if isinstance(damaged, dict):
        damaged = json.dumps(damaged)
    path.write_bytes(damaged if isinstance(damaged, bytes) else damaged.encode())
    with pytest.raises(RecordError) as caught:
        load_records(tmp_path)
    assert says in str(caught.value)
    assert "nvidia-h100.json" in str(caught.value) and "make record" in str(caught.value)


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
    assert merge(old, new, {"t/a", "t/b"}).environment.date == "2026-12-01"
    newer = Record(replace(GPU, torch="2.15.0"), new.entries)
    assert merge(old, newer, {"t/a", "t/b"}) == newer
    assert merge(None, new, {"t/b"}) == new


def test_a_cpu_build_has_nothing_to_record(snippets, tmp_path):
    said = []
    assert record(snippets(), tmp_path / "records", CPU, said.append) == 2
    assert "stands in the snippets" in said[0] and not (tmp_path / "records").exists()


def test_recording_runs_what_can_run_here_and_says_what_changed(snippets, tmp_path):
    folder, said = tmp_path / "records", []
    assert record(snippets(), folder, NO_GPU, said.append) == 0
    path = path_of("cuda-build-no-gpu", folder)
    first = read(path)
    assert first.entries["t/b"].prints == (Printed(0, "two"), Printed(1, "deux"))
    assert first.entries.keys() == {"t/a", "t/b"}
    assert any("not here  t/two: needs cuda:2" in line for line in said)

    source = tmp_path / "snippets" / "t" / "a.py"
    source.write_text(source.read_text("utf-8").replace("one", "uno"), encoding="utf-8")
    said.clear()
    assert record(snippets(), folder, NO_GPU, said.append) == 0
    assert any("changed   t/a" in line and "+print 1: uno" in line for line in said)
    assert any("same      t/b" in line for line in said)
    assert read(path).entries["t/a"].prints == (Printed(0, "uno"),)


def test_a_failure_is_told_and_loses_nothing(snippets, tmp_path):
    folder, said = tmp_path / "records", []
    record(snippets(), folder, NO_GPU, said.append)
    before = read(path_of("cuda-build-no-gpu", folder))
    source = tmp_path / "snippets" / "t" / "a.py"
    source.write_text(source.read_text("utf-8") + "raise OSError('gone')\n", encoding="utf-8")
    assert record(snippets(), folder, NO_GPU, said.append) == 1
    assert any("FAILED    t/a" in line and "OSError: gone" in line for line in said)
    after = read(path_of("cuda-build-no-gpu", folder))
    assert after.entries["t/a"] == before.entries["t/a"]


def test_every_record_of_the_project_can_be_read():
    for made in load_records():
        assert made.entries, made.environment.id
