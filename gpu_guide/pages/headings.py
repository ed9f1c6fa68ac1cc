"""Headings: each has an id, the same in every language, and no id is used twice on a page."""

from __future__ import annotations

import re
from collections.abc import Iterator

from gpu_guide.pages.page import Heading, Page
from gpu_guide.problems import Problem

_KEBAB = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*")


def check(page: Page) -> Iterator[Problem]:
    """Headings without an id, ids that are not well-formed, and ids given twice."""
    for heading in page.headings:
        if heading.id is None and heading.level > 1:
            near = _suggested_id(heading)
            remedy = f"write an English id behind it, the same in both languages: {near}"
            yield Problem(page.path, heading.line, f"no id: {heading.text!r}", remedy)
    tops = [heading for heading in page.headings if heading.level == 1]
    for extra in tops[1:]:
        yield Problem(page.path, extra.line, "a second first-level heading", "begin it with ##")
    seen: dict[str, int] = {}
    for name, line in page.ids:
        if not _KEBAB.fullmatch(name):
            remedy = "write small ASCII letters and digits, joined by hyphens"
            yield Problem(page.path, line, f"id {name!r}", remedy)
        if name in seen:
            remedy = "give each place an id of its own"
            yield Problem(page.path, line, f"id {name!r} again, first on line {seen[name]}", remedy)
        seen.setdefault(name, line)


def _suggested_id(heading: Heading) -> str:
    words = re.findall(r"[a-z0-9]+", heading.text.lower())
    return f"{{ #{'-'.join(words) or 'some-words'} }}"
