"""Translation status: is a page in line with its other language, or has it none yet?

A page's front matter key `twin` is the hash of the other language's page as it was when the two
were last in line. The hash leaves `twin` out, so marking one page never makes the other stale.
A page may be in one language alone: authors who know only one can still write.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator
from pathlib import Path

from gpu_guide.pages.page import Page, Pages, load_pages, parse
from gpu_guide.problems import GuideError, Problem, fault
from gpu_guide.project import Project


def stale(project: Project) -> dict[str, list[str]]:
    """By language, the addresses of the pages whose other half has changed since.

    Raises GuideError for a page that cannot be read.
    """
    pages, problems = load_pages(project)
    if problems:
        raise GuideError(*problems)
    return {
        lang: [address for address in pages[lang] if is_behind(pages, lang, address)]
        for lang in pages
    }


def is_behind(pages: Pages, lang: str, address: str) -> bool:
    """Whether the other half of the page has changed since the two were in line."""
    page = pages[lang].get(address)
    if page is None or "twin" not in page.front:
        return False
    others = (pages[other].get(address) for other in pages if other != lang)
    return any(other and str(page.front["twin"]) != text_hash(other) for other in others)


def unwritten(project: Project, lang: str) -> dict[str, Page]:
    """The pages that are not there in `lang` but in the other language, by address.

    Raises GuideError for a page that cannot be read.
    """
    docs = project.docs
    other = docs / project.other_than(lang)
    addresses = (path.relative_to(other).as_posix() for path in sorted(other.rglob("*.md")))
    return {
        address: parse(other / address, other)
        for address in addresses
        if not (docs / lang / address).exists()
    }


def notices(project: Project) -> Iterator[Problem]:
    """What is to be known and fails nothing: pages in one language, and pages that are behind."""
    docs = project.docs
    pages, _ = load_pages(project)
    for lang in pages:
        other = project.other_than(lang)
        for address, page in pages[lang].items():
            name = address.removesuffix(".md")
            if is_behind(pages, lang, address):
                remedy = f"once both say the same: `python -m gpu_guide twin {name}`"
                yield Problem(page.path, None, "the other language has changed since", remedy)
            elif not (docs / other / address).exists():
                remedy = (
                    f"whoever knows {other!r}: write docs/{other}/{address}; "
                    "until then the site shows a notice there, with a link to this page"
                )
                yield Problem(page.path, None, f"this page is in {lang!r} alone", remedy)


def mark_in_line(project: Project, page: str) -> None:
    """Write into both halves of `page` ("check/index.md") the hash of the other.

    Raises GuideError where a half is missing or has no front matter.
    """
    docs, halves = project.docs, []
    for lang in project.languages:
        path = docs / lang / page
        if not path.is_file():
            raise fault(path, 1, "no such page", "a page in one language needs no mark")
        half = parse(path, docs / lang)
        if not half.front:
            raise fault(path, 1, "no front matter", "begin with title and description")
        halves.append(half)
    for half, other in (halves, halves[::-1]):
        _write_twin(half.path, text_hash(other))


def text_hash(page: Page) -> str:
    """12 hex digits of what the page says: neither `twin` nor blanks and line breaks count.

    Line breaks inside fences do.
    """
    front = {key: str(value) for key, value in page.front.items() if key != "twin"}
    parts: list[str] = [json.dumps(front, sort_keys=True)]
    prose: list[str] = []
    for line in page.lines:
        if line.kind in ("fence", "code"):
            parts += [" ".join(prose), line.text.strip() if line.kind == "fence" else line.text]
            prose = []
        elif line.kind in ("prose", "math"):
            prose += line.text.split()
    parts.append(" ".join(prose))
    text = "\n".join(part.rstrip() for part in parts if part.strip())
    return hashlib.sha256(text.encode()).hexdigest()[:12]


def _write_twin(path: Path, value: str) -> None:
    rows = re.findall(r"[^\n]*\n|[^\n]+", path.read_bytes().decode("utf-8"))
    end = "\r\n" if rows[0].endswith("\r\n") else "\n"
    closing = next(n for n, row in enumerate(rows[1:], 1) if row.rstrip() in ("---", "..."))
    front = [row for row in rows[1:closing] if not re.match(r"twin\s*:", row)]
    # Quoted: twelve hex digits may all be decimal, and YAML would read a number.
    front.append(f'twin: "{value}"{end}')
    path.write_bytes("".join([rows[0], *front, *rows[closing:]]).encode())
