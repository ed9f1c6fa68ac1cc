"""The steps in tests/data/allocator_traces.json, and the model's states in the same form."""

from __future__ import annotations

import json

from allocator_player import State

from gpu_guide.project import HERE

TRACES = json.loads((HERE.tests / "data/allocator_traces.json").read_text(encoding="utf-8"))


def as_step(state: State) -> dict[str, object]:
    """A state as the JSON file has it."""
    return {
        "do": state.statement,
        "events": list(state.events),
        "allocated": state.allocated,
        "reserved": state.reserved,
        "requested": state.requested,
        "segments": [[list(block) for block in segment] for segment in state.segments],
    }
