"""A campaign on a GPU: its parts and their time, what it brings home, and what becomes of that."""

from __future__ import annotations

import json
import os
import select
import subprocess
import sys
import zipfile
from contextlib import suppress
from dataclasses import asdict, replace

import pytest
from fake_environments import GPU, NO_GPU
from small_guides import begin

from gpu_guide.campaign import allocator, command, crosschecked, wheels
from gpu_guide.campaign.adopt import adopt, expectations
from gpu_guide.campaign.command import campaign
from gpu_guide.campaign.differences import Difference, as_markdown, differences
from gpu_guide.campaign.parts import PARTS, SUMMARY
from gpu_guide.dry_run.measured import FOLDER, Measured, read_measured, write_measured
from gpu_guide.problems import GuideError
from gpu_guide.project import HERE, Project
from gpu_guide.records.store import Entry, Record, load_records, write
from gpu_guide.snippets.model import Printed, load_snippets

STAND_IN = replace(GPU, id="stand-in-h100-torch-2.11.0", stand_in="h100")


@pytest.fixture
def pretended(monkeypatch, tmp_path):
    """A campaign whose parts only say which they are; the status of each may be chosen."""
    ran: list[tuple[str, float]] = []
    statuses: dict[str, int | None] = {}

    def run(arguments, project, around, seconds, log):
        ran.append((arguments[0], seconds))
        log(f"this is {arguments[0]}")
        return statuses.get(arguments[0], 0)

    monkeypatch.setattr(command, "_run", run)
    monkeypatch.setattr(wheels, "lacking", list)
    monkeypatch.setattr(command.time, "monotonic", lambda: 1000.0)

    def pretended(minutes=9.0, here=GPU, **chosen):
        ran.clear()
        statuses.clear()
        statuses.update(chosen)
        said: list[str] = []
        out = tmp_path / "out"
        status = campaign(
            Project(tmp_path), out, jobs=8, minutes=minutes, here=here, say=said.append
        )
        return status, ran, "\n".join(said), out

    return pretended


def test_each_part_has_what_time_the_others_left(pretended):
    status, ran, said, out = pretended()
    assert status == 0 and [name for name, _ in ran] == list(PARTS)
    for name, seconds in ran:  # the parts before took no time
        assert seconds == pytest.approx(540 * PARTS[name].ends + command._GRACE), name
    assert said.splitlines() == (out / command.LOG).read_text("utf-8").splitlines()
    summary = json.loads((out / SUMMARY).read_text("utf-8"))
    assert summary["environment"] == asdict(GPU) and summary["minutes"] == 9
    assert {part["what"] for part in summary["parts"].values()} == {"done"}


def test_a_part_that_fails_or_hangs_costs_that_part(pretended):
    status, ran, _, out = pretended(crosscheck=1, allocator=None)
    assert status == 1 and [name for name, _ in ran] == list(PARTS)
    parts = json.loads((out / SUMMARY).read_text("utf-8"))["parts"]
    assert parts["crosscheck"]["what"] == "not all of it: exit status 1"
    assert parts["allocator"]["what"] == "ended when its time was up"
    assert parts["labs"]["what"] == "done"


def test_without_time_a_part_is_left(pretended):
    status, ran, said, _ = pretended(minutes=0.001)
    assert status == 1 and not ran and said.count("left for want of time") == 2 * len(PARTS)


def test_what_lacks_a_library_is_left_out_and_named(pretended, monkeypatch):
    monkeypatch.setattr(wheels, "lacking", lambda: ["nbclient"])
    status, ran, said, _ = pretended()
    assert status == 1 and "labs" not in dict(ran) and len(ran) == len(PARTS) - 1
    assert "lacks nbclient: bring them along" in said and "gpu_guide pack" in said


def test_wheels_are_unpacked_for_what_lacks_them(monkeypatch, tmp_path):
    guide = Project(tmp_path)
    folder = wheels.folder_of(guide)
    folder.mkdir(parents=True)
    with zipfile.ZipFile(folder / "nbclient-1-py3-none-any.whl", "w") as wheel:
        wheel.writestr("nbclient/__init__.py", "x = 1\n")
    monkeypatch.setattr(wheels, "lacking", lambda: ["nbclient"])
    monkeypatch.setenv("PYTHONPATH", "before")
    into = tmp_path / "into"
    around = command._around(guide, PARTS["labs"], into, lambda line: None)
    assert around["PYTHONPATH"].split(command.os.pathsep) == [str(into), "before"]
    assert (into / "nbclient" / "__init__.py").read_text("utf-8") == "x = 1\n"
    assert command._around(guide, PARTS["gpu"], into, print)["PYTHONPATH"] == "before"


def test_without_a_gpu_there_is_nothing_to_bring_home(pretended):
    with pytest.raises(GuideError, match="no CUDA GPU that PyTorch can use here — `make record`"):
        pretended(here=NO_GPU)


def test_a_part_is_a_process_of_its_own_that_keeps_its_time(tmp_path):
    """What it says is logged as it comes; one that hangs is killed, and its children with it."""
    said: list[str] = []
    package = tmp_path / "gpu_guide"
    package.mkdir()
    (package / "__init__.py").touch()
    hang = (
        "import subprocess, sys\n"
        "child = subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(600)'])\n"
        "print('my child is', child.pid, flush=True)\n"
        "child.wait()\n"
    )
    (package / "campaign.py").write_text(hang, encoding="utf-8")
    around = {**command.os.environ, "PYTHONPATH": str(tmp_path)}
    assert command._run([], Project(tmp_path), around, 5, said.append) is None
    child = int(said[0].removeprefix("my child is "))
    with suppress(ProcessLookupError):  # it is gone already
        descriptor = os.pidfd_open(child)
        assert select.select([descriptor], [], [], 60)[0], "the child was not killed"
        os.close(descriptor)
    (package / "campaign.py").write_text("raise SystemExit(3)\n", encoding="utf-8")
    assert command._run([], Project(tmp_path), around, 60, said.append) == 3


ONLY_TORCH = """
import sys

class Refuses:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in %r:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)

sys.meta_path.insert(0, Refuses())
import gpu_guide.campaign.__main__, gpu_guide.campaign.command
import gpu_guide.run.child, gpu_guide.run.torchrun, gpu_guide.simulate
import gpu_guide.crosscheck.compare
"""


def test_a_machine_with_torch_numpy_and_yaml_is_enough():
    """What the guide's own environment has beside them is refused, as if it was not installed."""
    kept = {"torch", "numpy", "yaml"}
    needs = (HERE.root / "pyproject.toml").read_text("utf-8")
    others = {"pytest", "pytest_examples", "black", "mkdocs", "jieba", "PIL", "nbclient", "ruff"}
    others |= {"nbformat", "ipykernel", "jupyter_client", "matplotlib", "playwright", "markdown"}
    assert not others & kept and "pytest-examples" in needs
    done = subprocess.run(
        [sys.executable, "-c", ONLY_TORCH % (sorted(others),)],
        cwd=HERE.root,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr


PAGE = """---
title: T
---

# T {{ #t }}

```snippet
t/a
```

{a}

## Second {{ #second }}

```snippet
t/b
```

{b}
"""


@pytest.fixture
def guide(tmp_path):
    """Two snippets for a GPU on a page that expects something of each."""
    files = {
        f"snippets/t/{name}.py": f'"""Title.\n\n标题。\n"""\n# needs: cuda\n\nprint("{name}")\n'
        f"#> {name}\n"
        for name in "ab"
    }
    files["docs/en/x.md"] = PAGE.format(a="It is expected to print a.", b="We expect b.")
    files["docs/zh/x.md"] = PAGE.format(a="预期打印 a。", b="打印 b。")
    files["data/expected.yml"] = (HERE.data / "expected.yml").read_text("utf-8")
    return begin(tmp_path / "guide", files=files)


@pytest.fixture
def brought(guide, tmp_path):
    """A folder that a campaign brought home, in which the GPU printed something for t/a."""

    def brought(text="a", here=GPU):
        folder = tmp_path / "brought"
        folder.mkdir(exist_ok=True)
        (folder / SUMMARY).write_text(json.dumps({"environment": asdict(here)}), "utf-8")
        snippet = load_snippets(guide)["t/a"]
        seconds = None if here.stand_in else 0.2
        entry = Entry(snippet.sha256, (Printed(0, text),), seconds)
        write(Record(here, {"t/a": entry}), folder)
        return folder

    return brought


def adopted(guide, folder, **options):
    said: list[str] = []
    return adopt(guide, folder, say=said.append, **options), "\n".join(said)


def test_peaks_of_scripts_that_had_no_time_are_kept(guide, brought):
    folder, peak = brought(), Measured("", {}, 1, 2, 3)
    for name in ("first", "second"):  # each visit had time for one script
        write_measured(folder / FOLDER, GPU, {name: peak})
        adopted(guide, folder)
    path = guide.records / FOLDER / f"{GPU.id}.json"
    assert list(read_measured(path)[1]) == ["first", "second"]


def test_what_comes_home_is_taken_over_with_what_it_changes(guide, brought):
    status, said = adopted(guide, brought())
    assert status == 0 and "1 outputs of snippets are new or changed" in said
    assert "x.md: t/a" in said
    assert "docs/en/x.md:11: t/a can tell now: It is expected to print a." in said
    assert "docs/zh/x.md:11: t/a can tell now: 预期打印 a。" in said
    assert "We expect b" not in said
    (record,) = [one for one in load_records(guide) if one.environment == GPU]
    assert record.entries["t/a"].prints == (Printed(0, "a"),)
    assert "0 outputs of snippets are new or changed" in adopted(guide, brought())[1]


def test_only_looking_writes_nothing(guide, brought):
    status, said = adopted(guide, brought(), look=True)
    assert status == 0 and "x.md: t/a" in said and not load_records(guide)


def test_a_rehearsal_can_only_be_looked_at(guide, brought):
    folder = brought(here=STAND_IN)
    with pytest.raises(GuideError, match="a rehearsal on a stand-in GPU"):
        adopt(guide, folder)
    assert adopted(guide, folder, look=True)[0] == 0 and not load_records(guide)


def test_another_text_than_simulated_is_told_with_both(guide, brought):
    status, said = adopted(guide, brought("b"))
    assert status == 1
    assert "snippets/t/a.py: the GPU printed something else than simulated:" in said
    assert "  GPU    b" in said and "  other  a" in said


def test_a_file_that_was_changed_on_its_way_is_refused_and_nothing_taken(guide, brought):
    folder = brought()
    path = folder / f"{GPU.id}.json"
    path.write_text(path.read_text("utf-8").replace('"a"', '"z"'), "utf-8")
    crosschecked.write(folder / crosschecked.FOLDER, GPU, {("add", "cuda:0/cpu"): "mismatch"})
    with pytest.raises(GuideError, match="changed since it was recorded"):
        adopt(guide, folder)
    assert not list(guide.records.rglob("*.json"))


def test_a_folder_of_something_else_is_refused(guide, tmp_path):
    with pytest.raises(GuideError, match="not the folder of a campaign") as caught:
        adopt(guide, tmp_path)
    assert SUMMARY in str(caught.value) and "record --minutes" in str(caught.value)


def test_a_real_gpu_has_the_last_word_on_simulated_devices(guide, brought):
    folder = brought()
    right = {("add", "cuda:0/cpu"): "mismatch", ("mul", "cuda:0/cuda:0"): "cuda:0"}
    crosschecked.write(folder / crosschecked.FOLDER, GPU, right)
    assert adopted(guide, folder)[0] == 0
    kept = crosschecked.read(guide.records / crosschecked.FOLDER / f"{GPU.id}.json")
    assert kept == (GPU, right)
    crosschecked.write(folder / crosschecked.FOLDER, GPU, right | {("add", "cpu/cuda:0"): "cpu"})
    status, said = adopted(guide, folder)
    assert status == 1 and "add cpu/cuda:0: simulated mismatch, GPU cpu" in said


def test_the_allocators_series_are_written_as_they_end(guide, monkeypatch, tmp_path):
    made = tmp_path / "played.py"
    figures = {"expandable": False, "free_mib": 1, "programs": 2, "steps": 3, "events": {}}
    made.write_text(
        "import sys\n"
        "if '--left' in sys.argv:\n"
        "    sys.exit('seed 7, after\\nx = 1 B\\nsegments: PyTorch 1, the model 2')\n"
        f"print({json.dumps(figures | {'torch': '2.11', 'ties': 0})!r})\n",
        encoding="utf-8",
    )
    monkeypatch.setattr(
        allocator.Series,
        "command",
        property(lambda self: (sys.executable, str(made), *self.arguments)),
    )
    said: list[str] = []
    folder = tmp_path / "records"
    until = command.time.monotonic() + 60
    assert allocator.compare(guide, folder, GPU, until, said.append) == 1
    here, found = allocator.read(folder / f"{GPU.id}.json")
    assert here == GPU and list(found) == sorted(one.name for one in allocator.SERIES)
    assert found["the traces"] == figures | {"difference": ""}
    assert found["200 MiB left"]["difference"].startswith("seed 7, after\nx = 1 B")
    assert any("the model 2" in line for line in said)


def test_what_differs_is_shown_with_both_texts(guide):
    snippets = load_snippets(guide)
    a = snippets["t/a"]
    gpu = Record(GPU, {"t/a": Entry(a.sha256, (Printed(0, "one\ntwo"),), 0.1)})
    other = Record(STAND_IN, {"t/a": Entry(a.sha256, (Printed(0, "one"),), None)})
    found = differences(gpu, [other], snippets, guide)
    assert found == [
        Difference("t/a", STAND_IN.id, ("one", "two"), ("one",)),
        Difference("t/a", "simulated", ("one", "two"), ("a",)),
    ]
    text = as_markdown(found, "a card")
    assert text.startswith("# 2 outputs of a card") and "```text\none\ntwo\n```" in text
    stale = Record(GPU, {"t/a": Entry("0" * 64, (Printed(0, "one"),), 0.1)})
    assert differences(stale, [other], snippets, guide) == []


def test_the_guide_says_what_it_expects_beside_code_that_can_tell():
    found = expectations(HERE)
    assert {one.path.split("/")[1] for one in found} == {"zh", "en"}
    snippets, labs = load_snippets(HERE), {path.stem for path in HERE.labs.glob("*.py")}
    for one in found:
        assert set(one.about) <= snippets.keys() | labs, one


def test_what_gpus_answered_is_what_simulated_devices_answer():
    """Every file that a campaign brought home, for good."""
    from gpu_guide.crosscheck.compare import answered, disagreements, simulated

    for path in sorted((HERE.records / crosschecked.FOLDER).glob("*.json")):
        answers = answered(crosschecked.read(path)[1])
        ours = {case: said for case, said in simulated().items() if case in answers}
        assert disagreements(ours, answers) == {}, path


def test_every_record_of_an_allocator_can_be_read():
    for path in sorted((HERE.records / allocator.FOLDER).glob("*.json")):
        assert not any(entry["difference"] for entry in allocator.read(path)[1].values()), path
