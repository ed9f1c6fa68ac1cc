"""What tests share about the machine and its records; gpu_guide/pytest_plugin.py runs snippets."""

from __future__ import annotations

import pytest

from gpu_guide import pytest_plugin
from gpu_guide.records.store import Record
from gpu_guide.run.machine import Environment


@pytest.fixture(scope="session")
def here(pytestconfig: pytest.Config) -> Environment:
    """The machine that the tests run on."""
    return pytest_plugin.machine(pytestconfig)


@pytest.fixture(scope="session")
def records(pytestconfig: pytest.Config) -> list[Record]:
    """Everything that other machines printed."""
    return pytest_plugin.records(pytestconfig)
