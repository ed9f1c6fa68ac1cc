"""Cache of what files hold, read once per state of the files: a build asks for it on each page."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path
from typing import TypeVar

from gpu_guide.project import Project

_Content = TypeVar("_Content")
_Of = TypeVar("_Of", Path, Project)
_Stamp = tuple[tuple[str, int, int], ...]
_seen: dict[Path, _Stamp] | None = None
"""The stamps that `one_state` keeps."""


@contextmanager
def one_state() -> Iterator[None]:
    """Look at each file once as long as this lasts: for a build, which asks a thousand times, and
    is done again where one was saved meanwhile."""
    global _seen
    _seen = {}
    try:
        yield
    finally:
        _seen = None


def loaded(read: Callable[[_Of], _Content], of: _Of, path: Path) -> _Content:
    """What `read` makes of a project or a path, as long as the file or folder at `path` stays as it
    is; not to be changed. Raises what `read` raises."""
    return _read(read, of, stamp(path))


def stamp(path: Path) -> _Stamp:
    """Changes whenever the file does, or one in the folder."""
    if _seen is None:
        return _stamp(path)
    if path not in _seen:
        _seen[path] = _stamp(path)
    return _seen[path]


def _stamp(path: Path) -> _Stamp:
    if path.is_file():
        return (_entry(str(path), path.stat()),)
    if not path.is_dir():
        return ()
    return tuple(sorted(_entry(file.path, file.stat()) for file in _files(str(path))))


def _entry(path: str, stat: os.stat_result) -> tuple[str, int, int]:
    return path, stat.st_mtime_ns, stat.st_size


def _files(folder: str) -> Iterator[os.DirEntry[str]]:
    """What lies in the folder and below, except what Python writes there by itself."""
    with os.scandir(folder) as found:
        for entry in found:
            if entry.is_file():
                yield entry
            elif entry.name != "__pycache__":
                yield from _files(entry.path)


@lru_cache(maxsize=64)
def _read(read: Callable[[_Of], _Content], of: _Of, stamp: _Stamp) -> _Content:
    return read(of)
