"""The tables by the names that fences give them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from gpu_guide.data.wheels import WHEELS, load_wheels
from gpu_guide.render import wheel_tables
from gpu_guide.render.loaded import loaded
from gpu_guide.render.nccl_table import NCCL, backends_table, load_backends
from gpu_guide.snippets.model import Language


def named_tables(lang: Language, wheels: Path = WHEELS) -> dict[str, Callable[[], str]]:
    """What makes the HTML of each table, by the name that a fence gives. They raise GuideError."""
    tables: dict[str, Callable[[], str]] = {}
    for name, make in wheel_tables.TABLES.items():
        tables[name] = lambda make=make: make(loaded(load_wheels, wheels), lang)
    tables["nccl/backends"] = lambda: backends_table(loaded(load_backends, NCCL), lang)
    return tables
