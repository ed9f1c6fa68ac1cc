"""Which devices a process sees, as the stand-in chooses them and as PyTorch counts them."""

from __future__ import annotations

import ast
import json
import os
import random
import re

import pytest
from stand_in_calls import CALLS, said

from gpu_guide.pictures.visible_devices import read

torch = pytest.importorskip("torch")


UUIDS = [f"GPU-a{device}737461-6e64-2d69-6e20-475055202020" for device in range(4)]
VISIBLE = {
    None: [0, 1, 2, 3],
    "": [],
    "-1": [],
    "2": [2],
    "3,0": [3, 0],
    " 1 , 2": [1, 2],
    "1,-1,2": [1],
    "0,7,1": [0],
    "1,1": [],
    "0,1,0": [],
    "1gpu,2": [1, 2],
    "gpu1": [],
    "GPU-a2": [2],
    "GPU-a1737461-6e64-2d69-6e20-475055202020,GPU-a3": [1, 3],
    "GPU-a": [],
    "GPU-a0,GPU-ff,GPU-a1": [0],
    "GPU-a1,GPU-a1": [],
}


@pytest.mark.parametrize(("value", "devices"), VISIBLE.items())
def test_visible_devices_are_chosen_as_cuda_chooses_them(run_on, monkeypatch, value, devices):
    code = f"""{CALLS}
count = integer(cuda.cudaGetDeviceCount)
bus = ctypes.create_string_buffer(20)
found = []
for device in range(count if isinstance(count, int) else 0):
    assert cuda.cudaDeviceGetPCIBusId(bus, 20, device) == 0
    found.append(int(bus.value[5:7], 16) - 1)
print([count, found])
"""
    monkeypatch.delenv("CUDA_VISIBLE_DEVICES", raising=False)
    settings = {} if value is None else {"CUDA_VISIBLE_DEVICES": value}
    count, found = said(run_on(code, count=4, **settings))
    assert found == devices
    assert count == (len(devices) or "error 100")
    assert read(value, UUIDS).seen == devices


@pytest.mark.parametrize(("value", "devices"), VISIBLE.items())
def test_visible_devices_are_those_that_pytorch_counts_itself(monkeypatch, value, devices):
    """PyTorch reads CUDA_VISIBLE_DEVICES once more, in Python, to count devices without CUDA."""
    if value is None:
        monkeypatch.delenv("CUDA_VISIBLE_DEVICES", raising=False)
    else:
        monkeypatch.setenv("CUDA_VISIBLE_DEVICES", value)
    monkeypatch.setattr(torch.cuda, "_raw_device_count_nvml", lambda: 4)
    monkeypatch.setattr(torch.cuda, "_raw_device_uuid_nvml", lambda: UUIDS)
    assert torch.cuda._device_count_nvml() == len(devices)


def test_random_values_are_read_by_pytorch_and_by_the_driver_as_the_model_reads_them(run_on):
    """Of a list that has ended, the driver reads no more, but PyTorch looks for repetitions: values
    with both are left out, because NVIDIA's documentation names no rule for them."""
    rng = random.Random(3)
    values = []
    while len(values) < 150:
        entries = rng.choices([" 0", "1", "2", "3", "7", "-1", "x"], k=rng.randint(1, 4))
        if rng.random() < 0.5:
            entries = [f"GPU-a{rng.randrange(6)}" for _ in entries]
        value = ",".join(entries)
        ended = re.search(r"[7x]|-1|a[45]", value)
        if not ended or "again" not in {entry.fate for entry in read(value, UUIDS).entries}:
            values.append(value)
    code = f"""{CALLS}
import sys, torch
for value in {values!r}:
    sys.stdout.flush()
    if child := os.fork():
        assert os.waitpid(child, 0)[1] == 0
        continue
    os.environ["CUDA_VISIBLE_DEVICES"] = value
    counted = torch.cuda.device_count()
    devices = integer(cuda.cudaGetDeviceCount)
    bus = ctypes.create_string_buffer(20)
    found = []
    for device in range(devices if isinstance(devices, int) else 0):
        assert cuda.cudaDeviceGetPCIBusId(bus, 20, device) == 0
        found.append(int(bus.value[5:7], 16) - 1)
    print([counted, found], flush=True)
    os._exit(0)
"""
    done = run_on(code, count=4)
    assert done.returncode == 0, done.stderr
    seen = [ast.literal_eval(line) for line in done.stdout.splitlines()]
    wanted = [[reading.count, reading.seen] for reading in (read(v, UUIDS) for v in values)]
    assert dict(zip(values, seen, strict=True)) == dict(zip(values, wanted, strict=True))


def test_this_process_runs_on_the_machine_that_was_asked_for():
    assert torch.cuda.device_count() == int(os.environ["STAND_IN_COUNT"])
    assert json.dumps(torch.cuda.get_device_name()) == json.dumps(os.environ["STAND_IN_NAME"])
