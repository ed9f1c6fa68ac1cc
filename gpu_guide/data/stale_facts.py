"""Facts read, or last known, more than a year ago: to be read again, for they may have changed."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date, timedelta

from gpu_guide.data.entries import entries
from gpu_guide.problems import Problem
from gpu_guide.project import Project

YEAR = timedelta(days=365)
_NAMES = ("name", "id", "torch", "address", "kind")


def old(project: Project, today: date | None = None) -> Iterator[Problem]:
    """A notice for each `read` or `worked` that is older than a year. Raises GuideError."""
    today = today or date.today()
    files = (project.wheels, project.cards, project.gpus, project.platforms)
    for path in (p for p in (*files, project.mirrors, project.libraries) if p.is_file()):
        for line, entry in entries(path):
            for key in ("read", "worked"):
                day = entry.get(key)
                if isinstance(day, date) and today - day > YEAR:
                    named = next(entry[name] for name in _NAMES if name in entry)
                    what = f"{named}: {key} on {day}, more than a year ago"
                    remedy = "read it in its source again, and date it anew"
                    yield Problem(path, line, what, remedy)
