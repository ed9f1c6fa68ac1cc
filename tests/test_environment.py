"""What a machine is called: the fabricated ones here, since none of them is at hand."""

from __future__ import annotations

import subprocess

import pytest
import torch

from gpu_guide import environment


@pytest.fixture
def machine(monkeypatch):
    """A machine with the given GPUs and CUDA build, and an nvidia-smi that answers `driver`."""

    def machine(gpus: int = 0, cuda: str | None = None, driver: str | None = None, mps=False):
        monkeypatch.setattr(torch.cuda, "is_available", lambda: gpus > 0)
        monkeypatch.setattr(torch.cuda, "device_count", lambda: gpus)
        monkeypatch.setattr(torch.cuda, "get_device_name", lambda index: "NVIDIA H100 80GB HBM3")
        monkeypatch.setattr(torch.version, "cuda", cuda)
        monkeypatch.setattr(torch.backends.mps, "is_available", lambda: mps)
        monkeypatch.setattr(environment.shutil, "which", lambda name: driver and "/bin/nvidia-smi")

        def run(command, **options):
            if driver == "broken":
                raise subprocess.CalledProcessError(9, command)
            return subprocess.CompletedProcess(command, 0, f"{driver}\n{driver}\n", "")

        monkeypatch.setattr(environment.subprocess, "run", run)
        return environment.describe()

    return machine


def test_a_cpu_build(machine):
    here = machine()
    assert (here.id, here.gpu, here.gpus, here.driver, here.cuda) == ("cpu", "", 0, "", "")
    assert not here.has_gpu and here.torch == torch.__version__


def test_a_cuda_build_without_a_gpu(machine):
    here = machine(cuda="13.2", driver="580.1")
    assert (here.id, here.cuda, here.driver) == ("cuda-build-no-gpu", "13.2", "")


def test_a_gpu_and_its_driver(machine):
    here = machine(gpus=1, cuda="13.0", driver="580.1")
    assert (here.id, here.gpu, here.gpus) == ("nvidia-h100", "NVIDIA H100 80GB HBM3", 1)
    assert (here.driver, here.cuda, here.has_gpu) == ("580.1", "13.0", True)


def test_several_gpus_are_counted_in_the_name(machine):
    assert machine(gpus=2, cuda="13.0", driver="580.1").id == "nvidia-h100-x2"


@pytest.fixture
def system(monkeypatch):
    """A machine of the given system and kernel, whose child process prints `said`."""

    def system(name: str, release: str = "", said: str = ""):
        monkeypatch.setattr(environment.platform, "system", lambda: name)
        monkeypatch.setattr(environment.platform, "release", lambda: release)

        def run(command, **options):
            return subprocess.CompletedProcess(command, 0, said, "")

        monkeypatch.setattr(environment.subprocess, "run", run)
        return environment.abilities.__wrapped__(gpu=bool(said))

    return system


@pytest.mark.parametrize(
    ("name", "release", "linux", "wddm"),
    [
        ("Linux", "6.8.0-45-generic", True, False),
        ("Linux", "5.15.153.1-microsoft-standard-WSL2", True, True),
        ("Windows", "11", False, True),
        ("Darwin", "24.1.0", False, False),
    ],
)
def test_wsl2_is_linux_with_the_driver_of_windows(system, name, release, linux, wddm):
    able = system(name, release)
    assert (able.linux, able.wddm) == (linux, wddm)


@pytest.mark.parametrize(
    ("said", "capability"),
    [("7 5\n", (7, 5)), ("a warning\n12 0\n", (12, 0)), ("no answer\n", (0, 0)), ("", (0, 0))],
)
def test_the_capability_is_what_the_child_process_says(system, said, capability):
    assert system("Linux", said=said).capability == capability


def test_a_gpu_is_not_asked_where_there_is_none(monkeypatch):
    monkeypatch.setattr(environment, "_capability", lambda: pytest.fail("asked"))
    assert environment.abilities.__wrapped__(gpu=False).capability == (0, 0)


@pytest.mark.parametrize(
    ("name", "package", "compiler", "headers", "usable"),
    [
        ("Linux", True, True, True, True),
        ("Linux", False, True, True, False),
        ("Linux", True, False, True, False),
        ("Linux", True, True, False, False),
        ("Windows", True, False, False, True),
    ],
)
def test_triton_needs_a_compiler_and_headers_but_on_windows(
    monkeypatch, tmp_path, name, package, compiler, headers, usable
):
    if headers:
        (tmp_path / "Python.h").touch()
    monkeypatch.delenv("CC", raising=False)
    monkeypatch.setattr(environment.importlib.util, "find_spec", lambda _: package or None)
    monkeypatch.setattr(environment.shutil, "which", lambda program: compiler and f"/bin/{program}")
    monkeypatch.setattr(environment.sysconfig, "get_paths", lambda: {"include": str(tmp_path)})
    monkeypatch.setattr(environment.platform, "system", lambda: name)
    assert environment.abilities.__wrapped__(gpu=False).triton is usable


@pytest.mark.parametrize("driver", [None, "broken"])
def test_a_driver_that_cannot_be_asked_is_left_out(machine, driver):
    assert machine(gpus=1, cuda="13.0", driver=driver).driver == ""


def test_a_mac(machine):
    assert machine(mps=True).id == "apple-mps"
