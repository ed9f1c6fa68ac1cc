"""Whether a page is still in line with its other language.

A page's front matter key `twin` is the hash of the other language's page as it was when the two
were last in line. The hash leaves `twin` out, so marking one page never makes the other stale.
"""

from __future__ import annotations

import hashlib
import json
import re
from pathlib import Path

from gpu_guide.pages.page import Page, load_pages, parse
from gpu_guide.problems import GuideError, fault
from gpu_guide.snippets.model import LANGUAGES


def stale(docs: Path) -> dict[str, list[str]]:
    """By language, the addresses of the pages whose other half has changed since.

    Raises GuideError for a page that cannot be read.
    """
    pages, problems = load_pages(docs)
    if problems:
        raise GuideError(*problems)
    found: dict[str, list[str]] = {}
    for lang, other in (LANGUAGES, LANGUAGES[::-1]):
        found[lang] = [
            address
            for address, page in pages[lang].items()
            if address in pages[other]
            and "twin" in page.front
            and str(page.front["twin"]) != text_hash(pages[other][address])
        ]
    return found


def mark_in_line(docs: Path, page: str) -> None:
    """Write into both halves of `page` ("check/index.md") the hash of the other.

    Raises GuideError where a half is missing or has no front matter.
    """
    halves = []
    for lang in LANGUAGES:
        path = docs / lang / page
        if not path.is_file():
            raise fault(path, 1, "no such page", "write it first")
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
