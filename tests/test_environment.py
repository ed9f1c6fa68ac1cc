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


@pytest.mark.parametrize("driver", [None, "broken"])
def test_a_driver_that_cannot_be_asked_is_left_out(machine, driver):
    assert machine(gpus=1, cuda="13.0", driver=driver).driver == ""


def test_a_mac(machine):
    assert machine(mps=True).id == "apple-mps"
