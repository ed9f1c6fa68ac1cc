"""What a machine is called: the fabricated ones here, since none of them is at hand."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest
import torch

from gpu_guide.problems import GuideError
from gpu_guide.run import machine as environment


@pytest.fixture
def machine(monkeypatch):
    """A machine with the given GPUs and CUDA build, and an nvidia-smi that answers `driver`."""

    def machine(
        gpus: int = 0,
        cuda: str | None = None,
        driver: str | None = None,
        mps=False,
        name="NVIDIA H100 80GB HBM3",
        system=("Linux", "6.8.0-45-generic"),
    ):
        monkeypatch.setattr(environment.platform, "system", lambda: system[0])
        monkeypatch.setattr(environment.platform, "release", lambda: system[1])
        initialises = lambda *_: pytest.fail("initialises CUDA in this process")  # noqa: E731
        for call in ("init", "_lazy_init", "get_device_name", "mem_get_info"):
            monkeypatch.setattr(torch.cuda, call, initialises)
        monkeypatch.setattr(torch.version, "cuda", cuda)
        monkeypatch.setattr(environment, "_has_mps", lambda: mps)
        monkeypatch.setattr(environment.shutil, "which", lambda name: driver and "/bin/nvidia-smi")

        def run(command, **options):
            if command[0] == sys.executable:
                answer = json.dumps([[name, [9, 0], 2**34]] * gpus)
                return subprocess.CompletedProcess(command, 0, f"a warning\n{answer}\n", "")
            if driver == "broken":
                raise subprocess.CalledProcessError(9, command)
            return subprocess.CompletedProcess(command, 0, f"{driver}\n{driver}\n", "")

        monkeypatch.setattr(environment.subprocess, "run", run)
        environment._gpus.cache_clear()
        return environment.describe()

    yield machine
    environment._gpus.cache_clear()


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


def test_its_clocks_are_told_where_the_driver_tells_them(machine, monkeypatch):
    answers = {"clocks.max.sm": "1980 MHz", "clocks.max.memory": "2619 MHz", "power.limit": "700 W"}
    monkeypatch.setattr(environment, "_asked_of_nvidia_smi", answers.get)
    assert machine(gpus=1, cuda="13.0").clocks == "SM 1980 MHz, memory 2619 MHz, 700 W"
    assert machine(cuda="13.0").clocks == ""
    answers["clocks.max.sm"] = ""
    assert machine(gpus=1, cuda="13.0").clocks == ""


def test_several_gpus_are_counted_in_the_name(machine):
    assert machine(gpus=2, cuda="13.0", driver="580.1").id == "nvidia-h100-x2"


WSL2, WINDOWS = ("Linux", "5.15.153.1-microsoft-standard-WSL2"), ("Windows", "11")


@pytest.mark.parametrize(
    ("facts", "name"),
    [
        ({"gpus": 1, "system": WSL2}, "nvidia-h100-wsl2"),
        ({"gpus": 1, "system": WINDOWS}, "nvidia-h100-windows"),
        ({"gpus": 2, "system": WSL2}, "nvidia-h100-x2-wsl2"),
        ({"gpus": 1, "name": "NVIDIA A100-SXM4-80GB MIG 1g.10gb"}, "nvidia-a100-mig-1g-10gb"),
        ({"gpus": 1, "name": "NVIDIA A100-SXM4-80GB MIG 3g.40gb"}, "nvidia-a100-mig-3g-40gb"),
        ({"system": WSL2}, "cuda-build-no-gpu-wsl2"),
        ({"system": WINDOWS}, "cuda-build-no-gpu-windows"),
    ],
)
def test_machines_with_one_card_have_names_of_their_own(machine, facts, name):
    here = machine(cuda="13.0", driver="580.1", **facts)
    assert here.id == name
    assert here.wsl is ("wsl2" in name) and bool(here.mig) is ("mig" in name)


@pytest.mark.parametrize("said", ["", "Illegal instruction", "[[1]]"])
def test_a_machine_that_does_not_answer_is_not_taken_for_one_without_a_gpu(monkeypatch, said):
    monkeypatch.setattr(torch.version, "cuda", "13.0")
    answer = subprocess.CompletedProcess([], 1, said, "RuntimeError: CUDA error")
    monkeypatch.setattr(environment.subprocess, "run", lambda *_, **__: answer)
    environment._gpus.cache_clear()
    with pytest.raises(GuideError, match=r"which GPUs[\s\S]*CUDA error[\s\S]*doctor"):
        environment.describe()


@pytest.fixture
def system(monkeypatch):
    """A machine of the given system and kernel, whose child process prints `said`."""

    def system(name: str, release: str = "", said: str = ""):
        monkeypatch.setattr(environment.platform, "system", lambda: name)
        monkeypatch.setattr(environment.platform, "release", lambda: release)

        def run(command, **options):
            return subprocess.CompletedProcess(command, 0, said, "")

        monkeypatch.setattr(environment.subprocess, "run", run)
        environment._gpus.cache_clear()
        return environment.abilities.__wrapped__(gpu=bool(said))

    yield system
    environment._gpus.cache_clear()


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


def test_capability_and_free_memory_are_those_of_the_least_gpu(system):
    said = json.dumps([["A", [12, 0], 5], ["B", [7, 5], 9]])
    able = system("Linux", said=f"a warning\n{said}\n")
    assert (able.capability, able.free) == ((7, 5), 5)


def test_a_gpu_is_not_asked_where_there_is_none(monkeypatch):
    monkeypatch.setattr(environment, "_gpus", lambda: pytest.fail("asked"))
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
