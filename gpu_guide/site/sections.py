"""The sections of the navigation, each of which is one PDF."""

from __future__ import annotations

import re
from dataclasses import dataclass

from gpu_guide.data.addresses import url_of
from gpu_guide.pages import nav
from gpu_guide.project import Project


@dataclass(frozen=True)
class Section:
    """What one PDF holds, `memory-en.pdf` for example."""

    name: str
    """The folder that its pages lie in, such as `memory`."""
    title: str
    pages: tuple[str, ...]
    """Their addresses below the language's folder, such as `memory/leaks/`."""


def sections(project: Project, language: str) -> list[Section]:
    """The sections of the language's navigation; the home page is in none. Raises GuideError."""
    found = []
    for title, addresses in nav.sections(project.configs[language]).items():
        names = [re.sub(r"\.(?:md|ipynb)$", "", address) for address in addresses]
        if names != ["index"]:
            pages = tuple(url_of(name) for name in names)
            found.append(Section(names[0].partition("/")[0], title, pages))
    return found
