"""Where tensors are, and what is said where they may not be."""

from __future__ import annotations

import torch

MISMATCH = "Expected all tensors to be on the same device"
BAD_ORDINAL = "invalid device ordinal"


def places(*tensors: torch.Tensor) -> str:
    """Where the tensors are, as a sentence that reads well in a failed test."""
    return " ".join(str(tensor.device) for tensor in tensors)
