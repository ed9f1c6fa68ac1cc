"""Snippets that need other libraries: what they may say, where they run, and what a page claims."""

from __future__ import annotations

import json
import platform
import subprocess
import sys
from collections import namedtuple
from dataclasses import replace
from pathlib import Path

import pytest
from fake_environments import CPU, GPU, NO_GPU
from small_guides import begin

from gpu_guide.environments import VARIABLE
from gpu_guide.problems import GuideError
from gpu_guide.project import HERE
from gpu_guide.records.assess import belongs_in_file
from gpu_guide.records.evidence import OnCpu, Processes, runs
from gpu_guide.render.provenance import claim
from gpu_guide.render.words import Words
from gpu_guide.run import with_libraries
from gpu_guide.run.runner import Tier
from gpu_guide.run.tiers import not_recorded, plan, recorded_tier
from gpu_guide.snippets.distributed_setup import faults
from gpu_guide.snippets.libraries import load_libraries
from gpu_guide.snippets.model import load_snippets, parse

SNIPPETS = [one for one in load_snippets(HERE).values() if one.needs.libraries]
ENTRY = """- id: speedy
  name: Speedy
  module: speedy_torch
  package: speedy
  version: '1.2.3'
  license: MIT
  docs: https://example.org/speedy
  read: 2026-11-22
"""


@pytest.fixture
def guide(tmp_path):
    """A guide with one library, and a function that makes a snippet of it."""

    def make(header: str, code: str, data: str = ENTRY):
        files = {
            "data/libraries.yml": data,
            "snippets/name.py": f'"""T.\n\n题。\n"""\n{header}\n\n{code}\n',
        }
        project = begin(tmp_path, files=files)
        return parse(project.snippets / "name.py", project)

    return make


USES = 'import speedy_torch\n\nprint("x")\n#> x'


def test_a_library_may_be_needed_and_then_imported(guide):
    needs = guide("# needs: torchrun:2, speedy", USES).needs
    assert str(needs) == "torchrun:2, speedy==1.2.3"
    assert [str(library) for library in needs.libraries] == ["Speedy 1.2.3"]


@pytest.mark.parametrize(
    ("header", "code", "says"),
    [
        ("# measures: no", USES, "imports 'speedy_torch' — .*# needs: accelerate"),
        ("# needs: speedy", "import accelerate", "imports 'accelerate'"),
        ("# needs: speed", USES, r"unknown need 'speed' — .*: speedy$"),
        ("# needs: cuda, speedy", USES, "needs both a GPU and a library"),
    ],
)
def test_what_goes_wrong_in_a_header_is_told(guide, header, code, says):
    with pytest.raises(GuideError, match=rf"name\.py:\d+: {says}"):
        guide(header, code)


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ("  license: MIT\n", "", r":1: a library with other keys — give it these"),
        ("'1.2.3'", "1.2", r":1: version: 1\.2 is no str — write it in quotes"),
        ("'1.2.3'", "'>=1.2'", r":1: version: '>=1\.2' is not exactly one"),
        ("2026-11-22", "'soon'", r":1: read: 'soon' is no date — write 2026"),
        ("- id", f"{ENTRY}- id", r":9: id: 'speedy' again"),
        (ENTRY, "speedy: 1\n", r": is no list — begin each library"),
    ],
)
def test_a_malformed_list_is_refused_with_its_line(guide, old, new, says):
    with pytest.raises(GuideError, match=rf"libraries\.yml{says}"):
        guide("# needs: speedy", USES, ENTRY.replace(old, new))


def test_every_library_is_used_and_says_where_its_documentation_is():
    used = {library.id for one in SNIPPETS for library in one.needs.libraries}
    assert used == {library.id for library in load_libraries(HERE)}
    assert all(library.docs.startswith("https://") for library in load_libraries(HERE))


def test_it_runs_on_the_cpu_of_every_machine_and_is_recorded_by_none(guide, monkeypatch):
    monkeypatch.setattr(platform, "system", lambda: "Linux")
    alone, pair = guide("# needs: speedy", USES), guide("# needs: torchrun:2, speedy", USES)
    for here in (CPU, GPU, NO_GPU):
        assert plan(alone, here).tiers == (Tier.CPU,)
        assert plan(pair, here).tiers == (Tier.TORCHRUN,)
        assert recorded_tier(pair, here) is None and "libraries" in not_recorded(pair, here)
        assert belongs_in_file(pair, Tier.TORCHRUN, here)
    stand_in = replace(GPU, id="stand-in-h100-torch-2.13.0", driver="", stand_in="h100")
    assert plan(alone, stand_in).tiers == ()


def test_where_there_is_no_linux_it_is_left_out_with_the_reason(guide, monkeypatch):
    monkeypatch.setattr(platform, "system", lambda: "Windows")
    found = plan(guide("# needs: speedy", USES), CPU)
    assert found.tiers == () and "tested on Linux, and this is Windows" in found.not_run


def test_the_evidence_names_the_library_with_its_version(guide):
    (run,) = runs(guide("# needs: torchrun:2, speedy", USES), [], "2.13.0")
    assert run.origins == (OnCpu("2.13.0", Processes(2, "gloo"), ("Speedy 1.2.3",)),)
    said = claim(run.origins[0], Words("en"))
    assert said == "CPU, Speedy 1.2.3, torch 2.13.0, 2 processes (gloo)"


@pytest.mark.parametrize("snippet", SNIPPETS, ids=lambda snippet: snippet.name)
def test_process_groups_of_libraries_are_destroyed(snippet):
    if snippet.needs.kind == "torchrun":
        assert faults(snippet.source, snippet.path) == []
        without = snippet.source.replace("\ndist.destroy_process_group()", "")
        without = without.replace("\naccelerator.end_training()", "")
        (fault,) = faults(without, snippet.path)
        assert "not destroyed on every way to the end" in fault


# --- the environment ------------------------------------------------------------------------------


@pytest.fixture
def root(tmp_path, monkeypatch) -> Path:
    """An empty folder for environments."""
    if platform.system() != "Linux":
        pytest.skip("the environment is made on Linux")
    folder = tmp_path / "environments"
    monkeypatch.setenv(VARIABLE, str(folder))
    return folder


def test_everything_is_installed_in_its_version_and_once(root, monkeypatch):
    commands = []

    def run(command, **how):
        commands.append(command)
        if "venv" in command:
            (Path(command[-1]) / "bin").mkdir()
            (Path(command[-1]) / "bin" / "python").touch()
        return subprocess.CompletedProcess(command, 0, "", "")

    monkeypatch.setattr(subprocess, "run", run)
    said = []
    python = with_libraries.find_or_make(HERE, tell=said.append)
    assert python == with_libraries.find_or_make(HERE, tell=said.append) and python.exists()
    assert len(said) == 1 and len(commands) == 4
    assert "torch" in commands[1] and "--no-deps" in commands[1]
    assert commands[2][-1] == "pyyaml" and str(HERE.constraints) in commands[2]
    pins = [library.pinned for library in load_libraries(HERE)]
    assert commands[3][-len(pins) :] == pins


def test_nothing_is_left_where_there_is_no_network(root, monkeypatch):
    def run(command, **how):
        failed = "pip" in command
        return subprocess.CompletedProcess(command, int(failed), "", "Could not connect")

    monkeypatch.setattr(subprocess, "run", run)
    with pytest.raises(GuideError, match=r"installing torch failed[^$]*Could not connect"):
        with_libraries.find_or_make(HERE, tell=lambda line: None)
    assert [path.name for path in root.iterdir()] == [".lock"]


def test_too_little_space_is_told(root, monkeypatch):
    usage = namedtuple("usage", "total used free")
    monkeypatch.setattr("shutil.disk_usage", lambda path: usage(9e9, 8e9, 1e9))
    with pytest.raises(GuideError, match=r"only 1\.0 GB are free, and the environment of other"):
        with_libraries.find_or_make(HERE, tell=lambda line: None)


def test_other_versions_have_an_environment_of_their_own(guide, tmp_path):
    guide("# needs: speedy", USES)
    project = replace(HERE, root=tmp_path)
    project.constraints.write_text("torch==2.13.0\n", encoding="utf-8")
    first = with_libraries.folder_of(project)
    project.libraries.write_text(ENTRY.replace("1.2.3", "1.2.4"), encoding="utf-8")
    assert with_libraries.folder_of(project) != first


JOB = {
    "path": "/x/name.py",
    "tier": "cpu",
    "processes": 1,
    "exits": [0],
    "strict": False,
    "leaves": [],
    "varied": False,
}


@pytest.mark.slow
def test_a_run_comes_back_from_another_interpreter():
    found = with_libraries.run(Path(sys.executable), {**JOB, "source": 'print("x")\n1 / 0\n'}, 60)
    assert found["outcome"] == "failed" and found["calls"] == [[1, "x"]]
    assert "name.py:2: ZeroDivisionError" in found["problem"]


def test_an_interpreter_that_says_nothing_is_a_failure(root, tmp_path):
    broken = tmp_path / "bin" / "python"
    broken.parent.mkdir()
    broken.write_text("#!/bin/sh\necho no such module >&2\nexit 1\n", encoding="utf-8")
    broken.chmod(0o755)
    found = with_libraries.run(broken, {**JOB, "source": "pass\n"}, 60)
    assert (found["outcome"], found["problem"]) == ("failed", "/x/name.py: no such module")
    assert json.dumps(found)


@pytest.mark.slow
@pytest.mark.parametrize(("ci", "outcome"), [("", "SKIPPED"), ("true", "FAILED")])
def test_where_the_environment_cannot_be_made_they_are_skipped_but_not_in_ci(
    root, tmp_path, monkeypatch, own_pytest, ci, outcome
):
    snippet = SNIPPETS[0]
    blocked = tmp_path / "a file"
    blocked.write_text("", encoding="utf-8")
    monkeypatch.setenv(VARIABLE, str(blocked / "x"))
    monkeypatch.setenv("CI", ci)
    said = own_pytest(HERE.root, str(snippet.path))
    assert outcome in said and "a file" in said and "PASSED" not in said
