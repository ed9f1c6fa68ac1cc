"""errors.json and answers.json of each language, and the schemas of both, for programs.

site/en/errors.json            every message of data/errors, with its cause and its remedy
site/en/answers.json           every answer of the pages below answers/
site/errors.schema.json        what is in the former, by JSON Schema 2020-12
site/answers.schema.json       and in the latter
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from gpu_guide.data import addresses
from gpu_guide.data.addresses import url_of
from gpu_guide.data.errors import load_errors
from gpu_guide.pages.answers import is_answers
from gpu_guide.pages.lines import scan
from gpu_guide.pages.page import Page, load_pages
from gpu_guide.project import Project
from gpu_guide.records.evidence import pinned_torch
from gpu_guide.site.version import edition

NAMES = ("errors", "answers")
MARKDOWN = "index.md"
"""What each page's Markdown is called, in the folder of its address."""
_SCHEMAS = Path(__file__).with_name("schemas")
_LINK = re.compile(r"\]\((https?://[^()\s]+(?:\([^()\s]*\)[^()\s]*)*)\)")
_PART = re.compile("## ")
_FREQUENCY = {1: "very often", 2: "often", 3: "seldom"}


def schema(name: str, site_root: str) -> str:
    """The text of errors.schema.json or answers.schema.json, of a site at this address."""
    text = (_SCHEMAS / f"{name}.schema.json").read_text(encoding="utf-8")
    found = {"$schema": (given := json.loads(text)).pop("$schema")}
    return _dumped(found | {"$id": _schema_at(site_root, name)} | given)


def errors(project: Project, language: str, site_root: str) -> str:
    """The text of the language's errors.json. Raises GuideError."""
    known, pages = load_errors(project), f"{site_root}{language}/"
    own = "reference/message/"
    noted = addresses.load(project.addresses) if project.addresses.is_file() else {}
    listed = [
        {
            "id": one.id,
            "group": one.group,
            "messages": list(one.says),
            "met": _FREQUENCY[one.rank],
            "where": list(one.where),
            "printed_by": one.source_in(language),
            "torch": list(one.torch),
            "cause": one.means[language],
            "remedy": one.fix[language],
            "confirm": one.confirm[language],
            "looks_like": list(one.unlike),
            "told_apart": one.apart.get(language, ""),
            "links": {
                "page": pages + url_of(one.own_page),
                "listed": _address(pages, one.place),
                "explained": _address(pages, one.page),
            }
            | ({"code": f"{site_root}snippets/{one.snippet}.py"} if one.snippet else {}),
        }
        for one in known.values()
    ]
    gone = {
        old.removeprefix(own): new.removeprefix(own)
        for old, new in addresses.moved(noted).items()
        if old.startswith(own) and new.startswith(own)
    }
    head = _head(project, language, "errors", site_root)
    return _dumped(head | {"moved": gone, "errors": listed})


def answers(project: Project, language: str, site_root: str, out: Path) -> str:
    """The text of the language's answers.json, from the Markdown of its built site `out`."""
    pages = load_pages(project)[0][language].values()
    listed = [
        one
        for page in pages
        if is_answers(page)
        for one in _answers(page, f"{site_root}{language}/", out)
    ]
    return _dumped(_head(project, language, "answers", site_root) | {"answers": listed})


def _answers(page: Page, pages: str, out: Path) -> Iterator[dict[str, Any]]:
    """The answers of a page. Markdown for machines has no ids: those are the page's own."""
    place = url_of(page.address.removesuffix(".md"))
    topic = place.rstrip("/").rpartition("/")[2]
    lines, _ = scan((out / place / MARKDOWN).read_text(encoding="utf-8"), front=False)
    starts = [
        at for at, line in enumerate(lines) if line.kind == "prose" and _PART.match(line.source)
    ]
    headings = [heading for heading in page.headings if heading.level == 2]
    for heading, start, end in zip(headings, starts, [*starts[1:], len(lines)], strict=True):
        text = "\n".join(line.source for line in lines[start + 1 : end]).strip("\n")
        yield {
            "id": f"{topic}/{heading.id}",
            "topic": topic,
            "question": lines[start].source.removeprefix("## "),
            "answer": text,
            "page": f"{pages}{place}#{heading.id}",
            "links": list(dict.fromkeys(_LINK.findall(text))),
        }


def _head(project: Project, language: str, name: str, site_root: str) -> dict[str, Any]:
    here = edition(project)
    guide = {"version": here.version, "date": here.date, "torch": pinned_torch(project.constraints)}
    return {"$schema": _schema_at(site_root, name), "language": language, "guide": guide}


def _schema_at(site_root: str, name: str) -> str:
    return f"{site_root}{name}.schema.json"


def _address(pages: str, place: str) -> str:
    page, mark, anchor = place.partition("#")
    return f"{pages}{url_of(page)}{mark}{anchor}"


def _dumped(found: object) -> str:
    return json.dumps(found, ensure_ascii=False, indent=1) + "\n"
