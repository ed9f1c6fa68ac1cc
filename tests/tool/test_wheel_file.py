"""The wheel that readers install: what is in it, and that each command runs where nothing else is.

It is built and installed outside the tree once a run; what that takes from PyPI is kept.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from zipfile import ZipFile

import pytest
from no_network import REFUSING
from snapshot_files import random_snapshot

from gpu_guide import ROOT
from gpu_guide.environments import UNFINISHED, is_made, making, pip, root

pytestmark = pytest.mark.extras

OLDEST = "3.9"
"""The Python that only the doctor runs in."""
LARGEST = 850_000
"""Bytes of the wheel; most of it is the messages that it knows, and the exercises."""
SOURCES = (
    "gpu_guide",
    "data",
    "exercises",
    "snippets/check",
    "setup.py",
    "MANIFEST.in",
    "pyproject.toml",
)
SOURCES += ("LICENSE", "mkdocs.yml", "mkdocs.en.yml")
NOT_FOR_READERS = ("site", "pages", "run", "records", "labs", "faults", "campaign")
COMMANDS = [
    (["diagnose", "RuntimeError: CUDA out of memory"], 1, "out-of-memory"),
    (["--lang", "zh", "diagnose", "RuntimeError: CUDA out of memory"], 1, "原因"),
    (["wheel", "--system", "linux", "--gpu", "8.9", "--driver", "580"], 0, "pip install torch"),
    (["wheel"], 0, "pip install torch"),
    (["fit", "gpt2", "--card", "t4"], 0, "GPT-2"),
    (["dry-run", "--help"], 0, "--mask-share"),
    (["dry-run"], 64, "train.py"),
    (["dry-run", "--card", "t44", "--lang", "zh", "--", "python", "script.py"], 64, "t4"),
    (["snapshot", "memory.pickle"], 0, "cuda:0"),
    (["simulate", "--python", sys.executable, "--", "script.py"], 0, "cuda:1"),
    (["learn", "list"], 0, "to/dropped_result"),
    (["learn", "check", "dropped_result", "--python", sys.executable], 1, "cuda:0"),
    (["--version"], 0, "0."),
]


def python_of(folder: Path) -> Path:
    return folder / ("Scripts/python.exe" if os.name == "nt" else "bin/python")


def run(*command: str | Path, cwd: Path = ROOT, **more: str) -> subprocess.CompletedProcess[str]:
    kept = {name: text for name, text in os.environ.items() if not name.startswith("PYTHON")}
    given = kept | {"PYTHONUTF8": "1", "LC_ALL": "C.UTF-8"} | more
    done = subprocess.run(
        [str(one) for one in command],
        cwd=cwd,
        env=given,
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    return done


@pytest.fixture(scope="module")
def builder() -> Path:
    """An environment with setuptools, and wheels of what ours needs; kept from run to run."""
    folder = root() / "wheel-builder"
    if not is_made(folder):
        with making(folder, 10**8, "what builds the wheel"):
            pip(folder, ("setuptools>=77", "wheel"))
            kept = ["-m", "pip", "download", "--quiet", "--no-deps", "pyyaml"]
            done = run(python_of(folder), *kept, "--dest", folder / "kept")
            assert done.returncode == 0, done.stderr
            (folder / UNFINISHED).unlink()
    return folder


@pytest.fixture(scope="module")
def wheel(builder, tmp_path_factory) -> Path:
    """Built as `python -m build` does: an archive of the sources, and the wheel from that alone."""
    copy = tmp_path_factory.mktemp("sources")
    for name in SOURCES:
        place = copy / name
        if (ROOT / name).is_dir():
            ignored = shutil.ignore_patterns("__pycache__", "*.egg-info")
            shutil.copytree(ROOT / name, place, ignore=ignored)
        else:
            shutil.copy(ROOT / name, place)
    code = "from setuptools.build_meta import build_sdist; build_sdist('dist')"
    done = run(python_of(builder), "-c", code, cwd=copy)
    assert done.returncode == 0, done.stdout + done.stderr
    (sources,) = (copy / "dist").glob("*.tar.gz")
    command = ["-m", "pip", "wheel", "--no-deps", "--no-build-isolation", "--no-index", "-w"]
    done = run(python_of(builder), *command, copy / "dist", sources)
    assert done.returncode == 0, done.stdout + done.stderr
    (found,) = (copy / "dist").glob("*.whl")
    return found


def installed(python: str, folder: Path, wheel: Path, kept: Path) -> Path:
    """The folder of the programs of a new environment with the wheel, made without a network."""
    assert run(python, "-m", "venv", folder).returncode == 0
    command = ["-m", "pip", "install", "--quiet", "--no-index", "--find-links", kept, wheel]
    done = run(python_of(folder), *command)
    assert done.returncode == 0, done.stderr
    return python_of(folder).parent


@pytest.fixture(scope="module")
def programs(builder, wheel, tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("clean") / "venv"
    return installed(sys.executable, folder, wheel, builder / "kept")


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    """What commands read, far from the tree."""
    import pickle

    folder = tmp_path_factory.mktemp("work")
    code = "import torch; print(torch.ones(1, device='cuda:1').device)"
    (folder / "script.py").write_text(code, encoding="utf-8")
    (folder / "memory.pickle").write_bytes(pickle.dumps(random_snapshot(3)))
    return folder


def test_the_wheel_is_small_and_has_nothing_of_the_site(wheel):
    with ZipFile(wheel) as opened:
        names = opened.namelist()
        (points,) = (name for name in names if name.endswith("entry_points.txt"))
        entries = opened.read(points).decode()
    assert "[pytest11]\ngpu-guide = gpu_guide.tool.pytest_plugin" in entries
    assert wheel.stat().st_size < LARGEST
    assert "gpu_guide/guide/snippets/check/doctor.py" in names
    assert "gpu_guide/stand_in/runtime/memory.c" in names
    wrong = ("tests/", "docs/", *(f"gpu_guide/{room}/" for room in NOT_FOR_READERS))
    assert [name for name in names if name.startswith(wrong)] == []


def test_every_module_of_the_wheel_finds_what_it_imports(wheel, programs):
    """But for those that need torch, or are loaded by their path."""
    with ZipFile(wheel) as opened:
        names = [name for name in opened.namelist() if name.endswith(".py")]
    kept = [
        name.removesuffix(".py").replace("/", ".").removesuffix(".__init__")
        for name in names
        if not name.startswith(("gpu_guide/guide/", "gpu_guide/simulate/"))
        and "/observer/" not in name
        and name.rpartition("/")[2] not in ("cpu_compute.py", "probe.py", "sitecustomize.py")
        and "pytest" not in name
    ]
    assert len(kept) > 40
    code = f"import importlib\nfor name in {kept}: importlib.import_module(name)"
    done = run(programs / "python", "-c", code)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize(("arguments", "status", "said"), COMMANDS)
def test_each_command_runs_and_nothing_is_sent(programs, folder, arguments, status, said):
    """Neither by the command nor by a Python that it starts, nor through a proxy."""
    (folder / "sitecustomize.py").write_text(REFUSING, encoding="utf-8")
    sent = folder / "sent.txt"
    sent.unlink(missing_ok=True)
    proxy = dict.fromkeys(("HTTP_PROXY", "HTTPS_PROXY"), "http://127.0.0.1:9")
    more = {"PYTHONPATH": str(folder), "SENT": str(sent), **proxy}
    done = run(programs / "gpu-guide", *arguments, cwd=folder, **more)
    assert done.returncode == status, done.stderr
    assert said in done.stdout + done.stderr
    assert not sent.exists(), sent.read_text(encoding="utf-8")


def test_the_network_would_be_noticed(programs, folder):
    (folder / "sitecustomize.py").write_text(REFUSING, encoding="utf-8")
    more = {"PYTHONPATH": str(folder), "SENT": str(folder / "noticed.txt")}
    code = "import urllib.request as u\ntry: u.urlopen('http://127.0.0.1:9')\nexcept OSError: pass"
    assert run(programs / "python", "-c", code, cwd=folder, **more).returncode == 0
    assert (folder / "noticed.txt").exists()


def test_the_doctor_runs_and_both_programs_are_one(programs, folder):
    own = ["doctor", "--json", "--python", programs / "python"]
    done = run(programs / "pytorch-gpu-guide", *own, cwd=folder)
    assert done.returncode in (0, 1, 2), done.stderr
    assert json.loads(done.stdout)["diagnosis"]


def oldest() -> str | None:
    """A Python of that version: in the path, where pyenv may only name it, or one that it keeps."""
    kept = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv"), "versions")
    found = [shutil.which(f"python{OLDEST}"), *kept.glob(f"{OLDEST}.*/bin/python")]
    return next((str(one) for one in found if one and run(one, "-V").returncode == 0), None)


def test_the_oldest_python_has_the_doctor_and_says_so(builder, wheel, tmp_path):
    """With the PyYAML of our own Python: its part in C is left out."""
    python = oldest()
    if python is None:
        pytest.skip(f"needs a Python {OLDEST}")
    folder = tmp_path / "venv"
    assert run(python, "-m", "venv", folder).returncode == 0
    site = next(folder.glob("lib/python3*/site-packages"))
    with ZipFile(next((builder / "kept").glob("*.whl"))) as opened:
        plain = [one for one in opened.namelist() if one.startswith("yaml/") and "_yaml" not in one]
        opened.extractall(site, plain)
    command = ["-m", "pip", "install", "--quiet", "--no-index", "--no-deps", wheel]
    done = run(python_of(folder), *command)
    assert done.returncode == 0, done.stderr
    program = python_of(folder).parent / "gpu-guide"
    done = run(program, "doctor", "--json", "--python", python_of(folder), cwd=tmp_path)
    assert done.returncode in (0, 1, 2), done.stderr
    assert json.loads(done.stdout)["facts"]["python"].startswith(OLDEST)
    for command, *_ in COMMANDS:
        if "--help" not in command and "--version" not in command:
            done = run(program, *command, cwd=tmp_path)
            assert done.returncode == 64 and "3.11" in done.stderr, command
