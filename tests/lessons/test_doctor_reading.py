"""How the doctor reads nvidia-smi, installed packages, the scheduler and the system."""

from __future__ import annotations

import os
import shlex
import sys
import textwrap
from pathlib import Path

import pytest
from doctor_machines import doctor, facts, posix


@pytest.mark.parametrize(
    ("release", "name"),
    [
        ('NAME="Ubuntu"\nID=ubuntu\nID_LIKE=debian\n', "ubuntu"),
        ('ID=linuxmint\nID_LIKE="ubuntu debian"\n', "ubuntu"),
        ("ID=pop\nID_LIKE=ubuntu debian\n", "ubuntu"),
        ('ID="rocky"\nID_LIKE="rhel centos fedora"\n', "rocky"),
        ("VERSION_ID=12\nID=debian\n", "debian"),
        ("NAME=nothing\n", ""),
    ],
)
def test_the_distribution_is_the_one_whose_packages_it_uses(release: str, name: str) -> None:
    assert doctor["read_release"](release) == name


def fake_smi(folder: Path, body: str) -> str:
    """Put a program nvidia-smi into `folder` and return a PATH that finds it."""
    (folder / "smi.py").write_text(textwrap.dedent(body), encoding="utf-8")
    program = folder / "nvidia-smi"
    # Python itself in the first line would have to be a path without blanks.
    command = shlex.join([sys.executable, str(folder / "smi.py")])
    program.write_text(f'#!/bin/sh\nexec {command} "$@"\n', encoding="utf-8")
    program.chmod(0o755)
    return f"{folder}{os.pathsep}{os.environ['PATH']}"


HEADER = """
    import sys
    HEADER = "| NVIDIA-SMI 535.104.12   Driver Version: 537.42   CUDA Version: 12.2     |"
"""


@posix
@pytest.mark.parametrize(
    "header",
    [HEADER, HEADER.replace("Driver Version", "KMD Version").replace("CUDA V", "CUDA UMD V")],
    ids=["until 600", "from 610"],
)
def test_nvidia_smi_is_read(header: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    body = (
        header
        + """
    if len(sys.argv) == 1:
        print(HEADER)
    else:
        print("WARNING: infoROM is corrupted, gpu 0000:0A:00.0, see the log, please")
        print("NVIDIA RTX A4000, 15352 MiB, 8.6")
        print("NVIDIA GH200, [N/A], [N/A]")
    """
    )
    monkeypatch.setenv("PATH", fake_smi(tmp_path, body))
    found = doctor["ask_driver"]()
    assert (found["state"], found["version"], found["cuda"]) == ("ok", "537.42", "12.2")
    assert [gpu["name"] for gpu in found["gpus"]] == ["NVIDIA RTX A4000", "NVIDIA GH200"]
    assert [gpu["capability"] for gpu in found["gpus"]] == ["8.6", None]


@posix
def test_an_old_nvidia_smi_without_compute_cap(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    body = (
        HEADER
        + """
    if len(sys.argv) == 1:
        print(HEADER)
    elif "compute_cap" in sys.argv[1]:
        print('Field "compute_cap" is not a valid field to query.')
        sys.exit(2)
    else:
        print("Tesla T4, 15109 MiB")
    """
    )
    monkeypatch.setenv("PATH", fake_smi(tmp_path, body))
    assert doctor["ask_driver"]()["gpus"] == [
        {"name": "Tesla T4", "memory": "15109 MiB", "capability": None}
    ]


@posix
def test_a_failing_nvidia_smi_is_quoted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    body = """
    import sys
    print("Failed to initialize NVML: Driver/library version mismatch", file=sys.stderr)
    sys.exit(18)
    """
    monkeypatch.setenv("PATH", fake_smi(tmp_path, body))
    found = doctor["ask_driver"]()
    assert found["state"] == "failed"
    assert found["error"] == "Failed to initialize NVML: Driver/library version mismatch"


def dist_info(folder: Path, name: str, version: str, *lines: str) -> None:
    """A package as an installer leaves it: the name, the version, further lines of metadata."""
    place = folder / f"{name}-{version}.dist-info"
    place.mkdir(parents=True)
    text = "\n".join(["Metadata-Version: 2.1", f"Name: {name}", f"Version: {version}", *lines, ""])
    (place / "METADATA").write_text(text, encoding="utf-8")
    (place / "INSTALLER").write_text("pip\n", encoding="utf-8")


def test_every_torch_on_the_path_is_found(tmp_path: Path, monkeypatch) -> None:
    for number, version in enumerate(("2.13.0+cpu", "2.12.1+cu130")):
        dist_info(tmp_path / str(number), "torch", version)
    monkeypatch.setattr(sys, "path", [str(tmp_path / "0"), str(tmp_path / "1")] * 2)
    found = doctor["torch_copies"]()
    assert [copy["version"] for copy in found] == ["2.13.0+cpu", "2.12.1+cu130"]
    assert {copy["by"] for copy in found} == {"pip"}


def test_what_torchvision_and_torchaudio_require_is_read(tmp_path: Path, monkeypatch) -> None:
    needs = ("Requires-Dist: numpy", "Requires-Dist: torch (==2.13.0)")
    dist_info(tmp_path, "torchvision", "0.28.0+cu130", *needs)
    dist_info(tmp_path, "torchaudio", "2.11.0")
    monkeypatch.setattr(sys, "path", [str(tmp_path)])
    assert doctor["companions"]() == [
        {"name": "torchvision", "version": "0.28.0+cu130", "needs": "torch (==2.13.0)"},
        {"name": "torchaudio", "version": "2.11.0", "needs": None},
    ]


@pytest.mark.parametrize(
    ("torch", "needs", "version", "fits"),
    [
        ("2.13.0+cu130", "torch (==2.13.0)", "0.28.0", True),
        ("2.13.0+cu130", "torch==2.13.0", "0.28.0+cu132", True),
        ("2.13.0+cu130", "torch==2.13.0", "0.28.0+cu126", False),
        ("2.13.0+cu130", "torch==2.12.0", "0.27.0+cu130", False),
        ("2.14.1+cu130", "torch>=2.14.0", "0.29.2", True),
        ("2.13.0", None, "0.28.0+cpu", True),
        ("2.13.0+cu130", None, "0.28.0+cpu", False),
    ],
)
def test_packages_that_do_not_fit_torch(torch: str, needs: str, version: str, fits: bool) -> None:
    one = {"name": "torchvision", "version": version, "needs": needs}
    found = doctor["misfits"](facts(torch={"version": torch}, companions=[one]))
    assert bool(found) != fits


def test_what_conda_recorded_is_seen(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setattr(sys, "prefix", str(tmp_path))
    assert not doctor["conda_has_torch"]()
    (tmp_path / "conda-meta").mkdir()
    (tmp_path / "conda-meta" / "pytorch-lightning-2.5.json").write_text("{}", encoding="utf-8")
    assert not doctor["conda_has_torch"]()
    (tmp_path / "conda-meta" / "libtorch-2.10.0-cuda129_h1.json").write_text("{}", encoding="utf-8")
    assert doctor["conda_has_torch"]()


def test_the_scheduler_is_named(monkeypatch) -> None:
    for name in doctor["SCHEDULERS"]:
        monkeypatch.delenv(name, raising=False)
    assert doctor["scheduler"]() is None
    monkeypatch.setenv("SLURM_JOB_ID", "7")
    assert doctor["scheduler"]() == "slurm"


def test_processes_are_read_without_the_names_of_folders() -> None:
    text = f"{os.getpid()}, /home/wang/env/bin/python3\n99999999, C:\\Users\\w\\a b.exe\n[N/A], x\n"
    mine, other = doctor["read_processes"](text)
    assert (mine["pid"], mine["name"]) == (os.getpid(), "python3")
    assert mine["own"] == os.path.isdir("/proc/self") and not other["own"]
    assert other["name"] == "a b.exe"


def test_the_system_is_read_in_the_form_of_the_facts() -> None:
    found = doctor["system_facts"]()
    assert doctor["complete"](found, {key: doctor["FACTS"][key] for key in found}) == found
