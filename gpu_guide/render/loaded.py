"""Snippets and records, read once per state of their files: a build asks for them at each fence."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

from gpu_guide.records.store import Record, load_records
from gpu_guide.snippets.model import Snippet, load_snippets

_Stamp = tuple[tuple[str, int, int], ...]


def loaded(snippets: Path, records: Path) -> tuple[dict[str, Snippet], list[Record]]:
    """What lies in both folders now. Raises GuideError."""
    return _load(snippets, records, _stamp(snippets, records))


def _stamp(*folders: Path) -> _Stamp:
    """Changes whenever a file in one of the folders does."""
    files = sorted(path for folder in folders for path in folder.rglob("*.[pj]*") if path.is_file())
    return tuple((str(path), path.stat().st_mtime_ns, path.stat().st_size) for path in files)


@lru_cache(maxsize=4)
def _load(snippets: Path, records: Path, stamp: _Stamp) -> tuple[dict[str, Snippet], list[Record]]:
    return load_snippets(snippets), load_records(records)
