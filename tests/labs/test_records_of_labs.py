"""Recording labs: one that fails costs itself only, what is recorded is kept, time is kept."""

from __future__ import annotations

import time
from dataclasses import replace

import pytest
from fake_environments import CPU, GPU
from small_guides import begin

from gpu_guide.labs import command
from gpu_guide.labs.records import read
from gpu_guide.problems import fault

LAB = "# minutes: 1\n# colab: no\n\n# %% one\nprint({!r})\n"


@pytest.fixture
def recording(tmp_path, monkeypatch):
    """Record labs, of which `fails` fail: the status, which ran, what was said, the record."""
    guide = begin(tmp_path, files={f"labs/{name}.py": LAB.format(name) for name in "abc"})
    ran: list[str] = []

    def recording(*names, fails=(), here=GPU, **options):
        ran.clear()

        def run(lab, **_):
            ran.append(lab.name)
            if lab.name in fails:
                raise fault(lab.path, 4, "cell 'one' raised OSError: gone", "correct it")
            text = [f"{lab.name} on {here.gpu}\n"]
            return {"one": [{"output_type": "stream", "name": "stdout", "text": text}]}

        monkeypatch.setattr(command, "run", run)
        said: list[str] = []
        status = command.record(names, project=guide, here=here, say=said.append, **options)
        path = guide.lab_records / f"{here.id}.json"
        return status, ran, "\n".join(said), read(path).labs if path.exists() else {}

    return recording


def test_a_lab_that_fails_costs_itself_only(recording):
    status, ran, said, labs = recording(fails="a")
    assert status == 1 and ran == ["a", "b", "c"] and labs.keys() == {"b", "c"}
    assert "labs/a.py:4: cell 'one' raised OSError: gone" in said
    status, ran, said, labs = recording()
    assert status == 0 and ran == ["a"] and labs.keys() == {"a", "b", "c"}
    assert said.count("recorded already") == 2
    assert recording(again=True)[1] == ["a", "b", "c"]


def test_other_versions_are_recorded_anew(recording):
    recording("a")
    newer = replace(GPU, torch="2.15.0")
    status, _, _, labs = recording("b", here=newer)
    assert status == 0 and labs.keys() == {"b"}


def test_without_time_none_begins(recording):
    status, ran, said, labs = recording(until=time.monotonic())
    assert status == 1 and not ran and not labs and said.count("left for want of time") == 3


def test_a_cpu_build_is_told_where_its_outputs_stand(recording):
    assert recording(here=CPU)[0] == 2
