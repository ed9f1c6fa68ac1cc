"""Answers of GPUs to the cross-check: `records/crosscheck/<environment>.json`."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from gpu_guide.records.store import read_file, unreadable, write_file
from gpu_guide.run.machine import Environment

FOLDER = "crosscheck"
PART = "operations"


def write(folder: Path, here: Environment, answers: Mapping[tuple[str, str], str]) -> Path:
    """Write the answers by operation and pair of devices, and return the file's path."""
    entries: dict[str, dict[str, Any]] = {}
    for (operation, pair), answer in answers.items():
        entries.setdefault(operation, {})[pair] = answer
    return write_file(folder, here, PART, entries)


def read(path: Path) -> tuple[Environment, dict[tuple[str, str], str]]:
    """The machine and its answers. Raises GuideError where the file is not what was written."""
    here, entries = read_file(path, PART, _answers)
    return here, {(name, pair): said for name, one in entries.items() for pair, said in one.items()}


def _answers(path: Path, name: str, content: Any) -> dict[str, str]:
    texts = content.values() if isinstance(content, dict) else (None,)
    if not all(isinstance(text, str) for text in texts):
        raise unreadable(path, f"{PART}[{name!r}]", "not texts by pair of devices")
    return content
