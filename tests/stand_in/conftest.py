"""What lies in this folder runs on a stand-in GPU: `make stand-in` starts it there."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from gpu_guide.stand_in.machine import MARK

HERE = Path(__file__).parent


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark the tests of this folder, and skip them where there is no stand-in."""
    for item in items:
        if not item.path.is_relative_to(HERE):
            continue
        item.add_marker(pytest.mark.stand_in)
        if MARK not in os.environ:
            item.add_marker(pytest.mark.skip(reason="not on a stand-in GPU: see `make stand-in`"))
