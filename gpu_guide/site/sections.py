"""The sections of the navigation, each of which is one PDF."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass

from gpu_guide.data.addresses import url_of
from gpu_guide.pages import nav
from gpu_guide.project import Project


@dataclass(frozen=True)
class Section:
    """What one PDF holds, `memory-en.pdf` for example."""

    name: str
    """The folder that its pages lie in, such as `memory`: the first that no other section has."""
    title: str
    pages: tuple[str, ...]
    """Their addresses below the language's folder, such as `memory/leaks/`."""


def sections(project: Project, language: str) -> list[Section]:
    """The sections of the language's navigation; the home page is in none. Raises GuideError."""
    found: dict[str, list[str]] = {}
    for title, addresses in nav.sections(project.configs[language]).items():
        names = [re.sub(r"\.(?:md|ipynb)$", "", address) for address in addresses]
        if names != ["index"]:
            found[title] = names
    folders = {title: _folders(names) for title, names in found.items()}
    shared = Counter(folder for several in folders.values() for folder in several)
    return [
        Section(
            next((one for one in folders[title] if shared[one] == 1), folders[title][0]),
            title,
            tuple(map(url_of, names)),
        )
        for title, names in found.items()
    ]


def _folders(names: list[str]) -> list[str]:
    """The folders that pages lie in, in their order; a page outside the folders is in none."""
    return list(dict.fromkeys(n.partition("/")[0] for n in names if "/" in n)) or [names[0]]
