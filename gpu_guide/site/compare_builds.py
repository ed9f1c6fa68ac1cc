"""What two builds of the guide have in common, page by page, whatever their themes are like.

Of each page: its head (what search engines read), sections, other anchors, links, code blocks, the
scripts and style sheets that are ours, and its entries in the search.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Mapping
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import urljoin

KINDS = ("head", "sections", "anchors", "links", "code", "files", "search")
BY_MKDOCS = ("head", "search")
"""Kinds of which contributing/publishing.md says what only MkDocs can do."""
SHOWN = 3
"""So many things of each kind are named, and the rest counted."""
_THEME_FILES = re.compile(r"assets/(?:javascripts|stylesheets)/")
_HEADINGS = ("h1", "h2", "h3", "h4", "h5", "h6")
_INDEXES = (("search/search_index.json", "docs"), ("search.json", "items"))
"""The search index of MkDocs and that of Zensical, and the key of its entries."""

Content = dict[str, Counter[str]]
Difference = dict[str, tuple[list[str], list[str]]]
"""By kind, what only the first build has, and what only the second."""


class _Reader(HTMLParser):
    """Counts what a page holds; of its body only the article, because the rest is the theme's."""

    def __init__(self, address: str) -> None:
        super().__init__()
        self.found: Content = {kind: Counter() for kind in KINDS}
        self._at = address
        self._inside = self._head = False
        self._open: list[tuple[str, str, list[str]]] = []
        """Headings and code blocks that have begun: their tag, id and words."""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        found = {name: value or "" for name, value in attrs}
        source = found.get("src") if tag == "script" else found.get("href")
        if tag == "article":
            self._inside = True
        elif tag in ("script", "link") and (tag == "script" or found.get("rel") == "stylesheet"):
            if source and not _THEME_FILES.search(source):
                self._add("files", urljoin(self._at, source))
            elif tag == "script" and found.get("type") == "application/ld+json":
                self._add("head", "JSON-LD")
        elif tag == "link" or (tag == "meta" and found.get("name") != "generator"):
            named = found.get("rel") or found.get("name") or found.get("property")
            content = found.get("content") or urljoin(self._at, found.get("href", ""))
            self._add("head", " ".join(filter(None, (named, found.get("hreflang"), content))))
        elif self._inside:
            self._take(tag, found)

    def _take(self, tag: str, found: Mapping[str, str]) -> None:
        """An element of the article."""
        if tag in (*_HEADINGS, "pre"):
            self._open.append((tag, found.get("id", ""), []))
        elif not found.get("id", "__").startswith("__"):  # which are the theme's
            self._add("anchors", f"#{found['id']}")
        if tag == "a" and "href" in found:
            self._add("links", urljoin(self._at, found["href"]))

    def handle_endtag(self, tag: str) -> None:
        if tag == "article":
            self._inside = False
        if self._open and self._open[-1][0] == tag:
            _, name, words = self._open.pop()
            text = " ".join("".join(words).replace("\N{PILCROW SIGN}", "").split())
            if tag == "pre":
                self._add("code", text)
            else:
                self._add("sections", f"{tag} {text} #{name}")

    def handle_data(self, data: str) -> None:
        if self._open:
            self._open[-1][2].append(data)

    def _add(self, kind: str, what: str) -> None:
        self.found[kind][what] += 1


def read(site: Path) -> dict[str, Content]:
    """By address of each page below the folder `site`, such as `memory/leaks/`, what it holds."""
    pages = {}
    for path in sorted(site.rglob("*.html")):
        address = path.relative_to(site).as_posix().removesuffix("index.html")
        reader = _Reader(f"/{address}")
        reader.feed(path.read_text(encoding="utf-8"))
        pages[address] = reader.found
    for name, key in _INDEXES:
        if (site / name).is_file():
            for one in json.loads((site / name).read_text(encoding="utf-8"))[key]:
                page, _, section = one["location"].partition("#")
                if page in pages:
                    pages[page]["search"][f"#{section}"] += 1
    return pages


def differences(first: Path, second: Path) -> dict[str, Difference]:
    """By address, what differs between the pages of one language in two builds. Of a page that only
    one of them has, the kind is `page`. Files that are no pages stand at the address "*"."""
    one, other = read(first), read(second)
    found: dict[str, Difference] = {}
    for address in sorted({*one, *other}):
        if address not in one or address not in other:
            found[address] = {"page": ([], ["page"]) if address in other else (["page"], [])}
            continue
        here, there = one[address], other[address]
        sides = {
            kind: ([*(here[kind] - there[kind])], [*(there[kind] - here[kind])]) for kind in KINDS
        }
        if differs := {kind: both for kind, both in sides.items() if any(both)}:
            found[address] = differs
    files, others = _files(first), _files(second)
    if files != others:
        found["*"] = {"other files": (sorted(files - others), sorted(others - files))}
    return found


def _files(site: Path) -> set[str]:
    """The files besides pages, search indexes and those of the themes."""
    files = (path.relative_to(site).as_posix() for path in site.rglob("*") if path.is_file())
    indexes = [name for name, _ in _INDEXES]
    return {
        name
        for name in files
        if not (name.endswith(".html") or name in indexes or _THEME_FILES.search(name))
    }


def table(found: Mapping[str, Difference], first: str, second: str) -> str:
    """The differences as Markdown: − is what only the `first` build has, + what only the second."""
    rows = [
        f"| {address or '/'} | {kind} | {_told(both)} |"
        for address, kinds in found.items()
        for kind, both in kinds.items()
    ]
    head = [f"| page | what | − only {first}, + only {second} |", "|---|---|---|"]
    return "\n".join([*head, *rows, ""])


def lost(found: Mapping[str, Difference]) -> bool:
    """Whether the second build lacks something that readers see."""
    return any(
        both[0] for kinds in found.values() for kind, both in kinds.items() if kind not in BY_MKDOCS
    )


def _told(both: tuple[list[str], list[str]]) -> str:
    cells = []
    for sign, things in zip("−+", both, strict=True):
        cells += [f"{sign} {_short(thing)}" for thing in things[:SHOWN]]
        if len(things) > SHOWN:
            cells.append(f"{sign} {len(things) - SHOWN} more")
    return "; ".join(cells)


def _short(thing: str) -> str:
    text = thing.replace("|", "\\|").replace("`", "'")
    return f"`{text if len(text) < 80 else text[:79] + '…'}`"
