"""The rules by which CUDA_VISIBLE_DEVICES is read are PyTorch's own."""

from __future__ import annotations

import random

import pytest
import torch
from visible_values import machine, random_value

from gpu_guide.pictures.visible_devices import read


def pytorch_counts(monkeypatch: pytest.MonkeyPatch, value: str | None, uuids: list[str]) -> object:
    """What PyTorch's own code returns, or the exception that it raises, and the list it parsed."""
    if value is None:
        monkeypatch.delenv("CUDA_VISIBLE_DEVICES", raising=False)
    else:
        monkeypatch.setenv("CUDA_VISIBLE_DEVICES", value)
    monkeypatch.setattr(torch.cuda, "_raw_device_count_nvml", lambda: len(uuids))
    monkeypatch.setattr(torch.cuda, "_raw_device_uuid_nvml", lambda: uuids)
    try:
        count = torch.cuda._device_count_nvml()
        parsed = torch.cuda._parse_visible_devices()
    except ValueError:
        return "ValueError", []
    if count < 0:
        return "the driver", []
    if parsed and isinstance(parsed[0], str):
        parsed = torch.cuda._transform_uuid_to_ordinals(parsed, uuids)
    return count, parsed[:count]


def told(value: str | None, uuids: list[str]) -> object:
    """The same from the model."""
    reading = read(value, uuids)
    fates = {entry.fate for entry in reading.entries}
    if reading.count is None:
        return ("ValueError" if "sign" in fates else "the driver"), []
    return reading.count, reading.seen


def test_random_values_are_read_as_pytorch_reads_them(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = random.Random(7)
    fates = set()
    for _ in range(20_000):
        uuids = machine(rng)
        value = random_value(rng, uuids)
        assert told(value, uuids) == pytorch_counts(monkeypatch, value, uuids), (value, uuids)
        fates |= {entry.fate for entry in read(value, uuids).entries}
    every = "seen word negative beyond unknown ambiguous again sign dropped unread driver"
    assert fates == set(every.split())


def test_the_snippet_of_the_page_is_read_alike() -> None:
    """What snippets/current_device/visible_devices_values.py prints, on a machine with 64 GPUs."""
    uuids = [""] * 64
    values = {"1,0": [1, 0], "2,-1,0": [2], "1,1": [], "0 1": [0], '"0,1"': [], "cuda:1": []}
    assert {value: read(value, uuids).seen for value in values} == values
