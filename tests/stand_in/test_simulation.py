"""Simulated devices against PyTorch's own verdict, which a stand-in GPU gives."""

from __future__ import annotations

import torch

from gpu_guide.crosscheck.compare import by_gpus, disagreements, simulated


def test_a_simulated_device_takes_what_pytorch_takes() -> None:
    found = by_gpus(torch.cuda.device_count())
    assert len(found) > 600
    assert disagreements(simulated(), found) == {}
