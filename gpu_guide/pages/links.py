"""Links: they lead to a page or a heading that is there, and say where they lead."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from urllib.parse import unquote

from gpu_guide.data.entries import Term
from gpu_guide.pages.page import Link, Page, is_vague
from gpu_guide.problems import Problem, did_you_mean, shown
from gpu_guide.project import Project

_EXTERNAL = re.compile(r"[a-zA-Z][a-zA-Z0-9+.-]*:|//")
_SCHEMES = frozenset({"http:", "https:", "mailto:"})
TERM = "term:"
"""How a link to the glossary begins: what follows is the anchor of one of its terms."""
_HOST = re.compile(r"(?:https?:)?//", re.IGNORECASE)
_FETCHED = re.compile(
    r"<(?:script|iframe|link|video|audio|source|embed|object)\b[^>]*?\b(?:src|href|data)\s*=\s*"
    r"[\"']?(?P<target>(?:https?:)?//[^\"'\s>]+)",
    re.IGNORECASE,
)


def check(page: Page, project: Project, lang: str, pages: dict[str, Page]) -> Iterator[Problem]:
    """The links of a page in the language `lang`; `pages` are those that they may lead to."""
    for link in page.links:
        if link.image and not link.text.strip():
            remedy = "say in the brackets (alt='…' in HTML) what it shows"
            yield Problem(page.path, link.line, f"no alternative text: {link.target}", remedy)
        if link.image and _HOST.match(link.target):
            yield _from_elsewhere(page, link.line, link.target)
        if not link.image and not link.definition and is_vague(link.text):
            remedy = "let the text name what the link leads to"
            yield Problem(page.path, link.line, f"a link called {link.text!r}", remedy)
        problem = _broken(link, page, project, lang, pages)
        if problem:
            yield Problem(page.path, link.line, *problem)
    for line in page.lines:
        if line.kind == "prose" and (match := _FETCHED.search(line.text)):
            yield _from_elsewhere(page, line.number, match["target"])


def unknown_terms(pages: Iterable[Page], glossary: Iterable[Term], path: Path) -> Iterator[Problem]:
    """Links to terms that the glossary, which lies at `path`, does not explain."""
    explained = [term.id for term in glossary if term.explain]
    for page in pages:
        for link in page.links:
            id = link.target.removeprefix(TERM)
            if link.target.startswith(TERM) and id not in explained:
                remedy = did_you_mean(id, explained, f"explain it in {shown(path)}")
                yield Problem(page.path, link.line, f"no term {id!r} in the glossary", remedy)


def _from_elsewhere(page: Page, line: int, target: str) -> Problem:
    """Other sites may be gone, be slow in mainland China, or count who reads."""
    what = f"a reader's browser would fetch {target} from another site"
    return Problem(page.path, line, what, "keep it in the guide, or link to the page it is on")


def _broken(
    link: Link, page: Page, project: Project, lang: str, pages: dict[str, Page]
) -> tuple[str, str] | None:
    """What is wrong with the link's target and what to do, or None."""
    root = project.docs / lang
    if link.target.startswith(TERM):
        return None  # `unknown_terms` looks at it
    if scheme := _EXTERNAL.match(link.target):
        known = scheme[0].lower() in _SCHEMES
        return None if known else (f"a link that begins with {scheme[0]!r}", "write https://…")
    if link.target.startswith("["):
        return None
    if not link.target or link.target.startswith("/"):
        return f"a link to {link.target!r}", "write the path from this file to the other"
    path, _, anchor = unquote(link.target).partition("#")
    target = Path(os.path.abspath(page.path.parent / path if path else page.path))
    if not target.is_relative_to(root):
        return f"a link out of {shown(root)}: {link.target}", "link to a page of this language"
    # The text of a notebook is the page beside it.
    address = target.relative_to(root).as_posix()
    other = pages.get(address.replace(".ipynb", ".md"))
    unwritten = other and other.named == address and not (root / other.address).is_file()
    if not (target.is_file() or unwritten):
        return f"no such file: {link.target}", "correct the path; pages end in .md"
    if other is None or not anchor:
        return None
    ids = [name for name, _ in other.ids]
    if anchor in ids:
        return None
    otherwise = f"give the heading that id, or link to one of: {', '.join(ids)}"
    return f"no id {anchor!r} on {shown(other.path)}", did_you_mean(anchor, ids, otherwise)
