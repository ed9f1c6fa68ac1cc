"""The stand-in where it cannot run, or is asked for something that is not there."""

from __future__ import annotations

import shutil
import subprocess
from collections import namedtuple
from pathlib import Path

import pytest

from gpu_guide import cli
from gpu_guide.environments import VARIABLE
from gpu_guide.problems import GuideError
from gpu_guide.stand_in import build, environments, process
from gpu_guide.stand_in.environments import CudaEnvironment, find, find_or_make
from gpu_guide.stand_in.machine import MARK, StandIn

CARD = StandIn(card="test", name="test card", memory_mib=4096, capability="8.9", multiprocessors=24)


@pytest.fixture(autouse=True)
def root(tmp_path, monkeypatch) -> Path:
    """An empty folder for environments, on a machine that could have one."""
    folder = tmp_path / "environments"
    monkeypatch.setenv(VARIABLE, str(folder))
    monkeypatch.delenv("CI", raising=False)
    monkeypatch.setattr(environments.platform, "system", lambda: "Linux")
    monkeypatch.setattr(environments.platform, "machine", lambda: "x86_64")
    return folder


def environment_with(root: Path, version: str, cuda: str | None, folder: str = "2.13.0") -> Path:
    """What `find` looks at of an environment: its interpreter, and the version of its torch."""
    made = root / f"torch-{folder}"
    (made / "bin").mkdir(parents=True)
    (made / "bin" / "python").touch()
    torch = made / "lib" / "python3.12" / "site-packages" / "torch"
    torch.mkdir(parents=True)
    text = f"__version__ = '{version}'\ncuda: Optional[str] = {cuda!r}\n"
    (torch / "version.py").write_text(text, encoding="utf-8")
    return made


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"count": 17}, "a stand-in with 17 GPUs — write a number from 0 to 16"),
        ({"memory_mib": 100}, "a stand-in with 100 MiB — give it 1024 at least"),
        ({"capability": "nine"}, "'nine' is no compute capability — write it like 8.9"),
    ],
)
def test_a_machine_that_cannot_be_is_refused(changes, says):
    card = {"name": "card", "memory_mib": 4096, "capability": "8.9", "multiprocessors": 24}
    with pytest.raises(GuideError, match=says):
        StandIn(card="test", **(card | changes))


def test_an_environment_is_found_by_the_version_of_its_torch(root):
    assert find("2.13.0") is None
    folder = environment_with(root, "2.13.0+cu130", "13.0")
    found = find("2.13.0")
    assert found == CudaEnvironment(folder) and (found.torch, found.cuda) == (
        "2.13.0+cu130",
        "13.0",
    )
    (folder / ".installing").touch()
    assert find("2.13.0") is None, "it was never finished"


@pytest.mark.parametrize(
    ("version", "cuda", "says"),
    [
        ("2.13.0+cpu", None, r"torch 2\.13\.0\+cpu is built without CUDA — delete that folder"),
        ("2.13.0+cu126", "12.6", r"built for CUDA 12\.6 — install a build for CUDA 13 there"),
        ("2.12.0+cu130", "13.0", r"has torch 2\.12\.0\+cu130, not 2\.13\.0 — delete that folder"),
    ],
)
def test_an_environment_that_does_not_serve_is_told(root, version, cuda, says):
    environment_with(root, version, cuda)
    with pytest.raises(GuideError, match=rf"torch-2\.13\.0: (its )?.*{says}"):
        find("2.13.0")


def test_an_environment_without_torch_is_told(root):
    shutil.rmtree(environment_with(root, "2.13.0+cu130", "13.0") / "lib")
    with pytest.raises(GuideError, match=r"has no PyTorch — delete that folder and run"):
        find("2.13.0")


@pytest.mark.parametrize(
    ("question", "answer", "says"),
    [
        ("system", "Windows", "needs Linux, and this is Windows: use WSL2"),
        ("machine", "riscv64", "no CUDA build for riscv64"),
    ],
)
def test_a_system_that_cannot_run_it_is_told_and_the_tests_are_skipped(
    root, monkeypatch, capsys, question, answer, says
):
    monkeypatch.setattr(environments.platform, question, lambda: answer)
    with pytest.raises(GuideError, match=says):
        find_or_make("2.13.0")
    assert not root.exists()
    assert cli.main(["stand-in"]) == 0
    said = capsys.readouterr().out
    assert said.startswith("Skipped: ") and says in said
    monkeypatch.setenv("CI", "true")
    assert cli.main(["stand-in"]) == 1, "CI may not leave them out"


def test_too_little_space_is_told_before_anything_is_written(root, monkeypatch):
    usage = namedtuple("usage", "total used free")
    monkeypatch.setattr(shutil, "disk_usage", lambda path: usage(9e9, 6e9, 3e9))
    with pytest.raises(GuideError, match=r"only 3\.0 GB are free, and a CUDA build needs 6"):
        find_or_make("2.13.0", tell=lambda line: None)
    assert list(root.iterdir()) == []


def test_nothing_is_left_of_an_installation_that_failed(root, monkeypatch):
    def run(command, **how):
        failed = "pip" in command
        if not failed:
            (root / "torch-2.13.0" / "bin").mkdir()
        return subprocess.CompletedProcess(command, int(failed), "", "No space left on device")

    monkeypatch.setattr(subprocess, "run", run)
    said = []
    with pytest.raises(GuideError, match=r"installing torch===2\.13\.0.*\n.*No space left"):
        find_or_make("2.13.0", tell=said.append)
    assert "Installing torch 2.13.0" in said[0]
    assert list(root.iterdir()) == []


def test_a_folder_that_cannot_be_written_is_named(root):
    root.parent.mkdir(exist_ok=True)
    root.write_text("a file", encoding="utf-8")
    with pytest.raises(GuideError, match=f"name another folder in {VARIABLE}"):
        find_or_make("2.13.0", tell=lambda line: None)


@pytest.mark.parametrize("version", ["2.13", "newest", "../2.13.0"])
def test_a_version_that_is_none_is_refused(root, version):
    with pytest.raises(GuideError, match=r"is no version of PyTorch — write 2\.13\.0"):
        find_or_make(version, tell=lambda line: None)


@pytest.mark.parametrize(
    ("named", "says"),
    [(None, r"no C compiler \(cc, gcc, clang\)"), ("icc", "CC names 'icc', which is not there")],
)
def test_a_missing_compiler_is_told_with_its_package(monkeypatch, capsys, named, says):
    monkeypatch.setattr(build.shutil, "which", lambda name: None)
    if named:
        monkeypatch.setenv("CC", named)
    else:
        monkeypatch.delenv("CC", raising=False)
    with pytest.raises(GuideError, match=says + ".* — install one, for example with .*apt-get"):
        build.compiler()
    assert cli.main(["stand-in"]) == 0
    assert "Skipped: " in capsys.readouterr().out


def test_nothing_is_left_of_libraries_that_were_not_built(root, monkeypatch):
    found = CudaEnvironment(environment_with(root, "2.13.0+cu130", "13.0"))

    def full(self):
        (self.made / "half").touch()
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(build._Build, "run", full)
    monkeypatch.setattr(build, "compiler", lambda: "cc")
    with pytest.raises(GuideError, match=r"cannot be written: .*No space left.* — free some space"):
        build.build(found)
    assert [path.name for path in root.iterdir()] == ["torch-2.13.0"]


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["--card", "h200"], r"data/cards\.yml: no card 'h200' — did you mean 'h100'"),
        (["--machine", "no-drivr"], r"broken_machines\.yml: no .*'no-drivr' — did you mean"),
        (["--count", "40"], "a stand-in with 40 GPUs — write a number from 0 to 16"),
    ],
)
def test_what_is_not_there_is_told_with_what_is(capsys, arguments, says):
    import re

    assert cli.main(["stand-in", *arguments, "--", "python", "x.py"]) == 1
    assert re.search(says, capsys.readouterr().err)


def test_a_machine_inside_a_machine_has_nothing_of_the_outer_one(root):
    outer = {
        MARK: "h100",
        "STAND_IN_COUNT": "4",
        "STAND_IN_DRIVER": "0",
        "LD_PRELOAD": f"{root}/stand-in-1/libcudart.so.13:/usr/lib/other.so",
        "LD_LIBRARY_PATH": f"{root}/stand-in-1/driver",
        "PATH": f"{root}/torch-2.13.0/bin:/usr/bin",
        "PYTHONPATH": f"{process.VALUES}:/mine",
        "HOME": "/home/me",
    }
    assert process._without_stand_in(outer) == {
        "LD_PRELOAD": "/usr/lib/other.so",
        "LD_LIBRARY_PATH": "",
        "PATH": "/usr/bin",
        "PYTHONPATH": "/mine",
        "HOME": "/home/me",
    }
    assert CARD.environment()[MARK] == "test"
