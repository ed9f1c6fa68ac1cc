"""Two simulated devices."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from gpu_guide.simulate import SimulatedCuda


@pytest.fixture
def cuda() -> Iterator[None]:
    """Two simulated devices around the test."""
    with SimulatedCuda(2):
        yield
