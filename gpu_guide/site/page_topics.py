"""Lists at the end of a page: the messages that it explains and the names of torch that its
snippets use, each linked to its entry in the reference."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass, field

from gpu_guide.data.errors import load_errors
from gpu_guide.pages.page import load_pages
from gpu_guide.project import Project
from gpu_guide.render.api_names import anchor, users_of_names
from gpu_guide.render.file_cache import loaded

EVERYWHERE = 12
"""A name on more pages than this says nothing of any of them."""
_REFERENCE = "reference/"


@dataclass
class Covered:
    """Links of one page: what is shown, and the address inside the language's site."""

    errors: list[tuple[str, str]] = field(default_factory=list)
    apis: list[tuple[str, str]] = field(default_factory=list)


def covered(project: Project, language: str) -> dict[str, Covered]:
    """By page, such as `memory/index.md`, in the order of rank and of names. Pages of the reference
    have none. Raises GuideError."""
    found: dict[str, Covered] = defaultdict(Covered)
    if project.errors.is_dir():
        messages = loaded(load_errors, project, project.errors).values()
        for message in sorted(messages, key=lambda one: one.rank):
            page = f"{message.page.partition('#')[0]}.md"
            address = f"{_REFERENCE}errors/{message.group}/#{message.id}"
            found[page].errors.append((message.says[0], address))
    if project.apis.is_file():
        users = loaded(users_of_names, project, project.snippets)
        pages = load_pages(project)[0].get(language, {}).values()
        shown = {page.named: {use.name for use in page.snippets} for page in pages}
        names = {
            page: [n for n in users if not some.isdisjoint(users[n])]
            for page, some in shown.items()
        }
        often = Counter(name for some in names.values() for name in some)
        for page, some in names.items():
            for name in sorted(some, key=lambda name: (name.lower(), name)):
                if often[name] <= EVERYWHERE:
                    found[page].apis.append((name, f"{_REFERENCE}apis/#{anchor(name)}"))
    return {page: one for page, one in found.items() if not page.startswith(_REFERENCE)}
