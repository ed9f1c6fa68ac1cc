"""The small files of tests/data/malformed_data.yml, in guides of their own."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from small_guides import begin

from gpu_guide import fast_yaml
from gpu_guide.project import HERE, Project

FILE = HERE.tests / "data/malformed_data.yml"
DATA: list[dict[str, Any]] = fast_yaml.load(FILE.read_text(encoding="utf-8"))
TEXTS: dict[str, str] = {one["file"]: one["text"] for one in DATA if "text" in one}
_BESIDE: dict[str, list[str]] = {one["file"]: one.get("beside", []) for one in DATA}


def begin_with(file: str, text: str, root: Path) -> Project:
    """A guide with such a file in data/, and ours beside it where it is read with others."""
    files = {f"data/{name}.yml": (HERE.data / f"{name}.yml").read_text() for name in _BESIDE[file]}
    return begin(root, files=files | {f"data/{file}.yml": text})
