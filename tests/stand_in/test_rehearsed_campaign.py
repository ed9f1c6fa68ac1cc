"""A campaign as on a machine that is lent for minutes: rehearsed with a stand-in as its GPU.

In a copy of the tree without git, with a few snippets; killed once, and started again.
"""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from gpu_guide.project import HERE

SNIPPETS = ("memory/rounded_to_512", "memory/memory_limit", "start/move", "to/device_argument")
SETTING = '- {script: zeros, zh: "a tensor", en: "a tensor"}\n'
COMMAND = (sys.executable, "-m", "gpu_guide", "--this-python", "record", "--jobs", "4")


@pytest.fixture(scope="module")
def tree(tmp_path_factory) -> Path:
    """What is brought to such a machine; in place of all snippets and labs, a few."""
    root = tmp_path_factory.mktemp("brought")
    for name in ("gpu_guide", "data", "docs"):
        ignored = shutil.ignore_patterns("__pycache__")
        shutil.copytree(HERE.root / name, root / name, ignore=ignored)
    shutil.copytree(HERE.records, root / "records")
    for path in ("mkdocs.yml", "mkdocs.en.yml", "constraints.txt"):
        shutil.copy(HERE.root / path, root)
    tools = [path for path in HERE.tests.rglob("allocator_*") if path.is_file()]
    for path in [*tools, HERE.root / "tests/stand_in/compare_allocator.py"]:
        target = root / path.relative_to(HERE.root)
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(path, target)
    (root / "data/dry_run_published.yml").unlink()
    (root / "data/dry_run_measured.yml").write_text(SETTING, encoding="utf-8")
    scripts = root / HERE.dry_run_measured_scripts.relative_to(HERE.root)
    scripts.mkdir(parents=True)
    script = "import torch\n\ntorch.zeros(2**20, device='cuda')\n"
    (scripts / "zeros.py").write_text(script, encoding="utf-8")
    for name in SNIPPETS:
        target = root / "snippets" / f"{name}.py"
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(HERE.snippets / f"{name}.py", target)
    return root


def record_of(out: Path) -> dict:
    (path,) = out.glob("stand-in-*.json")
    return json.loads(path.read_text(encoding="utf-8"))["snippets"]


def test_it_is_killed_and_goes_on_and_brings_everything_home(tree: Path) -> None:
    out = tree / "build" / "campaign"
    around = {name: text for name, text in os.environ.items() if name != "PYTEST_CURRENT_TEST"}
    path = [str(tree), *around.get("PYTHONPATH", "").split(os.pathsep)]
    around["PYTHONPATH"] = os.pathsep.join(one for one in path if one != str(HERE.root))
    with subprocess.Popen(
        [*COMMAND, "--minutes", "9"],
        cwd=tree,
        env=around,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
    ) as first:
        for line in first.stdout or ():
            if line.startswith("  new "):
                break
        os.killpg(first.pid, signal.SIGKILL)
    before = record_of(out)
    assert 1 <= len(before) <= len(SNIPPETS)

    second = subprocess.run(
        [*COMMAND, "--minutes", "2"],
        cwd=tree,
        env=around,
        capture_output=True,
        text=True,
        check=False,
    )
    said = second.stdout
    assert f"{len(before)} are of this code and these versions already" in said, said
    after = record_of(out)
    assert sorted(after) == sorted(SNIPPETS) and before.items() <= after.items()
    summary = json.loads((out / "campaign.json").read_text(encoding="utf-8"))
    told = {name: part["what"] for name, part in summary["parts"].items()}
    assert told.pop("labs") in ("left out", "done"), said  # without nbclient, with it
    assert set(told.values()) == {"done"}, said
    files = sorted(one.relative_to(out).as_posix() for one in out.rglob("*") if one.is_file())
    assert len(files) <= 8 and {"log.txt", "differences.md"} <= set(files), files
    (answers,) = (out / "crosscheck").glob("*.json")
    assert len(json.loads(answers.read_text(encoding="utf-8"))["operations"]) >= 88
    (shown,) = (out / "peaks").glob("*.json")
    peaks = json.loads(shown.read_text(encoding="utf-8"))["peaks"]
    assert peaks["zeros"]["allocated"] == 4 * 2**20
    (played,) = (out / "allocator").glob("*.json")
    programs = json.loads(played.read_text(encoding="utf-8"))["programs"]
    assert programs["the traces"]["programs"] == 13
    assert not any(entry["difference"] for entry in programs.values())
