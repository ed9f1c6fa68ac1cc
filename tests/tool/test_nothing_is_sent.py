"""No command asks for a network, nor does a Python that it starts: their sockets refuse."""

from __future__ import annotations

import pickle
import sys
from pathlib import Path

import pytest
from no_network import CALL, REFUSING, ran
from snapshot_files import random_snapshot

from gpu_guide.tool.main import COMMANDS

LINEAR = "import torch; x = torch.nn.Linear(2, 2, device='cuda')(torch.ones(1, 2, device='cuda'))"
SCRIPTS = {
    "sitecustomize.py": REFUSING,
    "fails.py": "raise RuntimeError('CUDA out of memory')",
    "linear.py": LINEAR,
    "test_own.py": f"{LINEAR}\ndef test_device(): assert x.is_cuda",
}
SOME = ["--system", "linux", "--gpu", "8.9", "--driver", "580", "--json"]
RUNS = [
    (["doctor", "--python", sys.executable], "torch"),
    (["diagnose", "RuntimeError: CUDA out of memory"], "out-of-memory"),
    (["diagnose", "--run", sys.executable, "fails.py"], "out-of-memory"),
    (["wheel"], "pip install"),
    (["wheel", "--tool", "uv", "--china", *SOME], "install"),
    (["fit"], "gpt2"),
    (["fit", "gpt2", "--card", "t4", "--json"], "needed"),
    (["snapshot", "memory.pickle"], "cuda:0"),
    (["simulate", "--python", sys.executable, "--", "python", "-m", "pytest", "-q"], "1 passed"),
    (["learn", "list"], "to/dropped_result"),
    (["learn", "check", "dropped_result", "--python", sys.executable], "nobody kept"),
]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name, code in SCRIPTS.items():
        (tmp_path / name).write_text(code, encoding="utf-8")
    (tmp_path / "memory.pickle").write_bytes(pickle.dumps(random_snapshot(3)))
    return tmp_path


def test_every_command_is_looked_at():
    """The dry run in tests/stand_in/test_dry_run_without_network.py."""
    assert {given[0] for given, _ in RUNS} | {"dry-run"} == set(COMMANDS)


@pytest.mark.slow
@pytest.mark.parametrize(("given", "said"), RUNS, ids=[" ".join(given) for given, _ in RUNS])
def test_a_command_sends_nothing(folder, given, said):
    out, sent = ran(folder, *CALL, *given)
    assert said in out and sent == "", out


@pytest.mark.slow
def test_the_plug_in_sends_nothing(folder):
    given = ["-m", "pytest", "-q", "-p", "gpu_guide.tool.pytest_plugin", "--simulate-gpus", "2"]
    out, sent = ran(folder, *given)
    assert "1 passed" in out and sent == ""


def test_who_asked_would_be_noticed(folder):
    code = "import urllib.request as u\ntry: u.urlopen('http://127.0.0.1:9')\nexcept OSError: pass"
    assert "127.0.0.1" in ran(folder, "-c", code)[1]
