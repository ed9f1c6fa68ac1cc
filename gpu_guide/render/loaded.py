"""What files hold, read once per state of the files: a build asks for it on each page."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from pathlib import Path
from typing import TypeVar

_Content = TypeVar("_Content")
_Stamp = tuple[tuple[str, int, int], ...]


def loaded(read: Callable[[Path], _Content], path: Path) -> _Content:
    """What `read` makes of a file or a folder; not to be changed. Raises what `read` raises."""
    return _read(read, path, _stamp(path))


def _stamp(path: Path) -> _Stamp:
    """Changes whenever the file does, or one of the folder."""
    files = sorted(path.rglob("*.[pj]*")) if path.is_dir() else [path]
    stats = [(file, file.stat()) for file in files if file.is_file()]
    return tuple((str(file), stat.st_mtime_ns, stat.st_size) for file, stat in stats)


@lru_cache(maxsize=64)
def _read(read: Callable[[Path], _Content], path: Path, stamp: _Stamp) -> _Content:
    return read(path)
