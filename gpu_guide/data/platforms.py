"""Typed access to `data/platforms.yml`: which services offer GPUs, and how to switch them on."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import date

from gpu_guide.data.entries import Rows, rows
from gpu_guide.data.wheels import Source, load_sourced
from gpu_guide.project import Project

COLUMNS = ("gpus", "switch", "keep")


@dataclass(frozen=True)
class Cloud:
    """One place; data/platforms.yml says at its top what the keys mean."""

    name: str
    source: tuple[str, ...]
    read: date
    texts: Rows = field(metadata=rows(*COLUMNS, in_some=True))
    """Without a language, its readers are not shown the place."""


@dataclass(frozen=True)
class Platforms:
    """All that the file holds, each kind in the file's order."""

    sources: tuple[Source, ...]
    clouds: tuple[Cloud, ...]


def load_platforms(project: Project) -> Platforms:
    """What the project's data/platforms.yml holds. Raises GuideError."""
    sources, clouds = load_sourced(project, project.platforms, "cloud", Cloud, "name")
    return Platforms(sources, tuple(clouds.values()))
