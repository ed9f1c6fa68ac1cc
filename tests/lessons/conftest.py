"""Starting torchrun."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import pytest
from torchrun_agents import Agent


@pytest.fixture
def launch(tmp_path: Path) -> Iterator[Callable[..., Agent]]:
    """Starts agents; whatever still runs at the end of the test is ended."""
    agents: list[Agent] = []

    def begin(name: str, *arguments: str, ignored: Sequence[int] = ()) -> Agent:
        agents.append(Agent(tmp_path, name, *arguments, ignored=ignored))
        return agents[-1]

    yield begin
    for agent in agents:
        agent.stop()
