"""The guide many times over, to see what a site of so many pages costs.

Its pages are those of the guide with their code, tables and pictures, so that a page costs what a
real one does. What is there once, such as the reference with its search, stays there once.
"""

from __future__ import annotations

import math
import re
import shutil
from pathlib import Path

from gpu_guide.project import Project

_ONCE = frozenset({"reference", "labs", "index", "changes"})
"""Sections and pages that are not copied: data, addresses and notebooks belong to them."""
_TO_ONCE = rf"(?<=\]\()(?={{up}}(?:{'|'.join(sorted(_ONCE))})(?:/|\.md))"
"""Where a link to one of them begins on a page from which `up` leads to the language's folder."""
_NAV = re.compile(r"^nav:\n(?:(?: .*)?\n)*", re.MULTILINE)


def larger(project: Project, root: Path, pages: int) -> Project:
    """The project in the new folder `root`, with at least so many pages a language. The copies are
    in the navigation, a section for each time that the guide is copied."""
    shared = {path.name for path in project.sources} - {project.docs.name}
    root.mkdir(parents=True)
    for name in sorted(shared):
        shutil.copytree(project.root / name, root / name)
    for path in project.root.iterdir():
        if path.is_file():
            shutil.copyfile(path, root / path.name)
    grown = Project(root)
    for language in project.languages:
        listed = _copy_pages(project.docs / language, grown.docs / language, pages)
        settings = grown.configs[language]
        text = settings.read_text(encoding="utf-8")
        text = _NAV.sub(lambda nav, listed=listed: f"{nav[0].rstrip()}\n{listed}\n", text, count=1)
        settings.write_text(text, encoding="utf-8")
    return grown


def _copy_pages(source: Path, target: Path, pages: int) -> str:
    """Write the pages and their copies; return the lines of the navigation for the copies."""
    shutil.copytree(source, target)
    own = [path.relative_to(source) for path in sorted(source.rglob("*.md"))]
    again = [path for path in own if path.with_suffix("").parts[0] not in _ONCE]
    lines = []
    for number in range(1, 1 + math.ceil((pages - len(own)) / len(again))):
        lines.append(f"  - Copy {number}:")
        for path in again:
            text = (source / path).read_text(encoding="utf-8")
            up = re.escape("../" * (len(path.parts) - 1))
            copy = target / f"copy-{number}" / path
            copy.parent.mkdir(parents=True, exist_ok=True)
            copy.write_text(re.sub(_TO_ONCE.format(up=up), "../", text), encoding="utf-8")
            lines.append(f"      - copy-{number}/{path.as_posix()}")
    return "\n".join(lines)
