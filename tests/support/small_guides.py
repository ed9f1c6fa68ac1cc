"""Guides of their own in a temporary folder, for tests to fill or to damage."""

from __future__ import annotations

import re
import shutil
from collections.abc import Mapping
from pathlib import Path

from gpu_guide import ROOT
from gpu_guide.project import HERE, Project

PAGE = """---
title: {0}
description: {0}.
---

# {0}

[x](start.md)

```snippet
start/move
```
"""
NAV = "nav:\n  - index.md\n  - start.md\n\n"


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


def two_pages(root: Path) -> None:
    """Copy what a build of this guide reads into `root`, but of the pages and of the data that they
    show: two pages take their place, which are built in a tenth of the time."""
    for name in ("theme", "snippets", "records"):
        shutil.copytree(ROOT / name, root / name)
    for name in ("mkdocs.yml", "mkdocs.en.yml", "constraints.txt", "pyproject.toml"):
        shutil.copyfile(ROOT / name, root / name)
    (root / "data").mkdir()
    for name in ("libraries.yml", "search_words.txt"):
        shutil.copyfile(ROOT / "data" / name, root / "data" / name)
    (root / "data" / "search_aliases.yml").write_text("zh: {}\nen: {}\n", encoding="utf-8")
    for language, config in Project(root).configs.items():
        (root / "docs" / language).mkdir(parents=True)
        for page in ("index", "start"):
            text = PAGE.format(f"{language} {page}")
            (root / "docs" / language / f"{page}.md").write_text(text, encoding="utf-8")
        text = config.read_text(encoding="utf-8")
        text, found = re.subn(r"^nav:\n(?:[ -].*\n|\n)+", NAV, text, flags=re.MULTILINE)
        assert found == 1
        config.write_text(text, encoding="utf-8")


def append(page: Path, text: str) -> int:
    """Add a line to a page; return its number."""
    lines = page.read_text(encoding="utf-8").rstrip("\n").split("\n")
    page.write_text("\n".join([*lines, "", text, ""]), encoding="utf-8")
    return len(lines) + 2


def edit(path: Path, old: str, new: str, count: int = 1) -> None:
    """Put `new` in the place of `old`, which has to be there; everywhere, with a count of -1."""
    text = path.read_text(encoding="utf-8")
    assert old in text, f"{path.name} has no {old!r}"
    path.write_text(text.replace(old, new, count), encoding="utf-8")
