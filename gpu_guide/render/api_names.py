"""Which names of torch the snippets use, and the anchor of each on the page reference/apis."""

from __future__ import annotations

from collections import defaultdict

from gpu_guide.data.apis import load_modules
from gpu_guide.project import Project
from gpu_guide.snippets.apis import used
from gpu_guide.snippets.model import load_snippets


def anchor(name: str) -> str:
    """The id of a name: two underscores are for Markdown the beginning of bold text."""
    return name.replace("__", "")


def users_of_names(project: Project) -> dict[str, list[str]]:
    """By name of torch, the snippets that use it. Raises GuideError."""
    modules = load_modules(project)
    absent = {f"{one.module}.{name}" for one in modules.values() for name in one.absent}
    found: dict[str, list[str]] = defaultdict(list)
    for snippet in load_snippets(project).values():
        for name in used(snippet.source, modules) - absent:
            found[name].append(snippet.name)
    return dict(found)
