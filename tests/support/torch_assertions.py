"""What tests share that assert what PyTorch's own tests do."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest
import torch

MIB = 2**20
two_devices = pytest.mark.skipif(torch.cuda.device_count() < 2, reason="one device")


def empty(size: int, device: str = "cuda") -> torch.Tensor:
    return torch.empty(size, dtype=torch.uint8, device=device)


def run(code: str, **variables: str) -> str:
    """What a process of its own prints, with these variables of the environment."""
    environment = os.environ | variables
    command = [sys.executable, "-c", code]
    done = subprocess.run(command, capture_output=True, text=True, check=True, env=environment)
    return done.stdout.strip()
