"""Facts that were read more than a year ago: to be read again, because they may have changed."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date, timedelta

from gpu_guide.data.entries import entries
from gpu_guide.problems import Problem
from gpu_guide.project import Project

YEAR = timedelta(days=365)


def old(project: Project, today: date | None = None) -> Iterator[Problem]:
    """A notice for each entry with a `read` older than a year. Raises GuideError."""
    today = today or date.today()
    files = (project.wheels, project.cards, project.gpus, project.platforms, project.libraries)
    for path in (path for path in files if path.is_file()):
        for line, entry in entries(path):
            read = entry.get("read")
            if isinstance(read, date) and today - read > YEAR:
                named = next(entry[key] for key in ("name", "id", "torch", "kind") if key in entry)
                what = f"{named}: read on {read}, more than a year ago"
                yield Problem(path, line, what, "read it in its source again, and date it anew")
