"""A chapter links no term of the glossary that one before it has linked: its reader knows the word.

Other pages are read alone, and link the first use of each."""

from __future__ import annotations

import re

from mkdocs.structure.pages import Page

_TERM = re.compile(r'<a href="[^"]*reference/glossary/#([^"]+)">(.*?)</a>', re.DOTALL)


def _is_chapter(page: Page | None) -> bool:
    return page is not None and re.match(r"start\.md$|learn/", page.file.src_uri) is not None


def without_known(html: str, page: Page) -> str:
    """The page without links to terms that chapters before it link; any other page as it is."""
    known: set[str] = set()
    earlier = page.previous_page if _is_chapter(page) else None
    while earlier and _is_chapter(earlier):
        known |= {id for id, _ in _TERM.findall(earlier.content or "")}
        earlier = earlier.previous_page
    return _TERM.sub(lambda link: link[2] if link[1] in known else link[0], html)
