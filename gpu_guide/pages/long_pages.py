"""A page of a topic explains one subject and stays short; those that are longer are listed.

`data/long_pages.yml` says how long they were when the limit came: they may shrink, and not grow.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

import yaml

from gpu_guide import fast_yaml
from gpu_guide.pages.chapters import length
from gpu_guide.pages.page import Page
from gpu_guide.problems import GuideError, Problem, fault
from gpu_guide.project import Project, about

TOPICS = (
    "install/",
    "check/",
    "device/",
    "to/",
    "current-device/",
    "memory/",
    "speed/",
    "multi-gpu/",
    "platforms/",
)
LONGEST = {"han": 4000, "words": 2500, "headings": 9}
"""The most that a page of a topic may have."""


def check(project: Project, pages: Mapping[str, Mapping[str, Page]]) -> Iterator[Problem]:
    """Pages that are too long, and entries that are not needed. Raises GuideError."""
    path = project.long_pages
    try:
        allowed = _read(path) if path.is_file() else {}
    except GuideError as error:
        yield from error.problems
        return
    found: dict[tuple[str, str], int] = {}
    for language in pages:
        for page in pages[language].values():
            if not page.address.startswith(TOPICS):
                continue
            name = page.address.removesuffix(".md")
            for kind, has in _sizes(page, bool(about(language).han)).items():
                found[name, kind] = max(has, found.get((name, kind), 0))
                if has > (most := allowed.get((name, kind), (LONGEST[kind], 0))[0]):
                    remedy = (
                        "move what is about one program or one symptom to a page of answers/, "
                        f"or split the page; data/{path.name} only shrinks"
                    )
                    yield Problem(page.path, 1, f"{has} {kind}, at most {most}", remedy)
    for (name, kind), (most, line) in allowed.items():
        if most <= LONGEST[kind] or found.get((name, kind), 0) <= LONGEST[kind]:
            what = f"{name!r} needs no entry for {kind!r}"
            yield Problem(path, line, what, "delete it, so that the page stays short")


def _sizes(page: Page, han: bool) -> dict[str, int]:
    parts = sum(heading.level == 2 for heading in page.headings)
    return {"han" if han else "words": length(page, han), "headings": parts}


def _read(path: Path) -> dict[tuple[str, str], tuple[int, int]]:
    """By page and kind, the most that it may have, and the line of its entry."""
    try:
        node = fast_yaml.compose(path.read_text(encoding="utf-8"))
    except yaml.MarkedYAMLError as error:
        line = error.problem_mark.line + 1 if error.problem_mark else 1
        raise fault(path, line, f"not YAML: {error.problem}", "correct the syntax") from None
    entries: dict[tuple[str, str], tuple[int, int]] = {}
    for name, sizes in node.value if isinstance(node, yaml.MappingNode) else ():
        line = name.start_mark.line + 1
        for kind, most in sizes.value if isinstance(sizes, yaml.MappingNode) else ():
            if kind.value not in LONGEST or not most.value.isdecimal():
                what = f"{name.value}: {kind.value!r}"
                raise fault(path, line, what, f"write numbers of {', '.join(LONGEST)}")
            if (name.value, kind.value) in entries:
                raise fault(path, line, f"{name.value}: {kind.value!r} again", "keep the smaller")
            entries[name.value, kind.value] = (int(most.value), line)
    return entries
