"""Typed access to `data/mirrors.yml`: mirrors, and the day on which each was last known to work."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import date

from gpu_guide.data.entries import Rows, rows
from gpu_guide.data.wheels import Source, load_sourced
from gpu_guide.problems import fault
from gpu_guide.project import Project

TEXTS = ("has", "known")
NEVER = date.min


@dataclass(frozen=True)
class Mirror:
    """One mirror; data/mirrors.yml says at its top what the keys mean."""

    address: str
    source: tuple[str, ...]
    read: date
    texts: Rows = field(metadata=rows(*TEXTS))
    worked: date = NEVER
    """NEVER where no source gives a day."""


@dataclass(frozen=True)
class Mirrors:
    """All that the file holds, each kind in the file's order."""

    sources: tuple[Source, ...]
    mirrors: tuple[Mirror, ...]


def load_mirrors(project: Project) -> Mirrors:
    """What the project's data/mirrors.yml holds. Raises GuideError."""
    path = project.mirrors
    sources, mirrors = load_sourced(project, path, "mirror", Mirror, "address")
    for line, mirror in mirrors.items():
        if mirror.worked != NEVER and not mirror.source:
            raise fault(path, line, "worked: a day without a source", "name who says so")
    return Mirrors(sources, tuple(mirrors.values()))
