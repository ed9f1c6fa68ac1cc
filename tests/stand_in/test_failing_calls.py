"""What fails on a broken machine, when, and for how long."""

from __future__ import annotations

import os
import subprocess

import pytest
from stand_in_calls import CALLS, said

from gpu_guide.environments import VARIABLE
from gpu_guide.problems import GuideError
from gpu_guide.stand_in.build import build, compiler
from gpu_guide.stand_in.machine import StandIn
from gpu_guide.stand_in.process import variables

TRIES = """
import torch
def tried(*calls):
    found = []
    for call in calls:
        try:
            found.append(call())
        except Exception as error:
            found.append(str(error).splitlines()[0])
    return found
def ones(): return torch.ones(4, device="cuda") is not None
def wait(): return torch.cuda.synchronize()
"""
ILLEGAL = "CUDA error: an illegal memory access was encountered"

ASSERT = "CUDA error: device-side assert triggered"


def test_an_error_of_a_kernel_comes_later_and_stays(run_on):
    done = run_on(f"{TRIES}\nprint(tried(ones, ones, wait, wait, ones))", fault="launch=700@2")
    assert said(done) == [True, True, ILLEGAL, ILLEGAL, ILLEGAL]


def test_with_launch_blocking_it_comes_at_the_launch(run_on):
    code = f"{TRIES}\nprint(tried(ones, ones, wait))"
    done = run_on(code, fault="launch=700@2", CUDA_LAUNCH_BLOCKING=1)
    assert said(done) == [True, ILLEGAL, ILLEGAL]


def test_what_keeps_a_kernel_from_starting_comes_at_once_and_goes(run_on):
    done = run_on(f"{TRIES}\nprint(tried(ones, ones, ones, wait))", fault="launch=209@2")
    no_image = "CUDA error: no kernel image is available for execution on the device"
    assert said(done) == [True, no_image, True, None]


def test_a_copy_that_waits_hears_of_the_kernel_before_it(run_on):
    code = (
        f"{TRIES}\nx = torch.empty(4, device='cuda')\nprint(tried(lambda: x.fill_(1) is x, x.cpu))"
    )
    assert said(run_on(code, fault="launch=710@1")) == [
        True,
        "CUDA error: device-side assert triggered",
    ]


def test_code_that_knows_of_a_kernels_fault_can_say_so(run_on):
    code = f"""{TRIES}
import ctypes
ones()
ctypes.CDLL("libcudart.so.13").stand_in_kernel_failed(710)
print(tried(ones, wait))
"""
    assert said(run_on(code)) == [True, ASSERT]


def test_the_nth_allocation_fails_or_a_range_of_them(run_on):
    code = f"{CALLS}\nprint([malloc(5)[0] for _ in range(6)])"
    assert said(run_on(code, fault="malloc=2@2")) == [0, 2, 0, 0, 0, 0]
    assert said(run_on(code, fault="malloc=2@2..4")) == [0, 2, 2, 2, 0, 0]
    assert said(run_on(code, fault="malloc=2@1,malloc=999@3")) == [2, 0, 999, 0, 0, 0]


def test_a_synchronisation_and_a_copy_fail(run_on):
    code = f"""{CALLS}
cuda.cudaSetDevice(0)
error, pointer = malloc(64)
copy = [cuda.cudaMemset(pointer, 0, ctypes.c_size_t(64)) for _ in range(3)]
print([copy, cuda.cudaDeviceSynchronize(), cuda.cudaDeviceSynchronize(), malloc(5)[0]])
"""
    done = run_on(code, fault="copy=1@2,synchronize=719@1")
    assert said(done) == [[0, 1, 0], 719, 719, 719]


@pytest.mark.parametrize(
    ("machine", "words"),
    [
        ({"driver": 0}, "Found no NVIDIA driver on your system"),
        ({"driver": 11060}, "is too old (found version 11060)"),
        ({"fault": "count=802"}, "Error 802: system not yet initialized"),
        ({"fault": "count=803"}, "unsupported display driver / cuda driver combination"),
        ({"fault": "count=999"}, "CUDA unknown error"),
        ({"fault": "init=46"}, "CUDA-capable device(s) is/are busy or unavailable"),
        ({"count": 0}, "No CUDA GPUs are available"),
        ({"CUDA_VISIBLE_DEVICES": ""}, "No CUDA GPUs are available"),
    ],
)
def test_pytorch_says_why_cuda_does_not_start(run_on, machine, words):
    code = f"{TRIES}\nimport warnings\nwarnings.simplefilter('ignore')\nprint(tried(ones))"
    (why,) = said(run_on(code, **machine))
    assert words in why


def test_a_card_that_pytorch_is_not_built_for_is_named(run_on):
    done = run_on("import torch\ntorch.cuda.init()", capability="6.1")
    assert "compute capability (CC) 6.1" in done.stderr


def test_without_a_driver_there_is_no_library(run_on):
    code = """
import ctypes
def there(name):
    try:
        return ctypes.CDLL(name) is not None
    except OSError:
        return False
print([there("libcuda.so.1"), there("libnvidia-ml.so.1")])
"""
    assert said(run_on(code)) == [True, True]
    assert said(run_on(code, driver=0)) == [False, False]


def test_another_driver_library_that_is_loaded_before_ours_is_refused(
    environment, tmp_path, monkeypatch
):
    other = tmp_path / "libcuda.so.1"
    monkeypatch.setenv("LD_PRELOAD", str(other))
    empty = ["-shared", "-Wl,-soname,libcuda.so.1", "-o", str(other), "-x", "c", "/dev/null"]
    plain = {name: text for name, text in os.environ.items() if name != "LD_PRELOAD"}
    subprocess.run([compiler(), *empty], check=True, env=plain)
    card = StandIn("test", name="card", memory_mib=4096, capability="8.9", multiprocessors=24)
    with pytest.raises(GuideError, match=f"loaded before the stand-in: {other}") as refused:
        variables(environment, card)
    assert "take it out of LD_PRELOAD" in str(refused.value)


def test_a_compiler_that_fails_leaves_nothing(environment, tmp_path, monkeypatch):
    monkeypatch.setenv(VARIABLE, str(tmp_path))
    monkeypatch.setenv("CC", "false")
    with pytest.raises(GuideError, match="building the stand-in stopped at"):
        build(environment)
    assert list(tmp_path.iterdir()) == []
