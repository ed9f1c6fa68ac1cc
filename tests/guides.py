"""A guide of its own in a temporary folder, for tests to fill."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from gpu_guide.project import HERE, Project


def begin(root: Path, *languages: str, files: Mapping[str, str] | None = None) -> Project:
    """The project in `root`: a folder of pages and settings for each language (those that are there
    stay), the torch that ours pins, and `files` by their path from there."""
    root.mkdir(parents=True, exist_ok=True)
    for number, language in enumerate(languages or HERE.languages):
        settings = root / (f"mkdocs.{language}.yml" if number else "mkdocs.yml")
        if not settings.exists():
            settings.write_text(f"docs_dir: docs/{language}\n", encoding="utf-8")
        (root / "docs" / language).mkdir(parents=True, exist_ok=True)
    (root / "constraints.txt").write_bytes(HERE.constraints.read_bytes())
    for name, text in (files or {}).items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return Project(root)
