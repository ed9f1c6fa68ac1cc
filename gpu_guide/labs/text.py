"""The text of a lab: `docs/<language>/labs/<name>.md`, cut at its headings and code cells.

It is a page like any other, except that a fence with the info string `cell` names a cell of the
lab's code, and that it is written in the Markdown that a notebook can show, too: no admonitions,
tabs, tables from data or snippets.

    ```cell
    first-training/curve
    alt: the loss falls from 2.3 to 0.1
    ```
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from gpu_guide.pages.lines import Fence
from gpu_guide.pages.page import Page, parse
from gpu_guide.problems import fault
from gpu_guide.project import Project
from gpu_guide.snippets.model import Language

_HEADING_ID = re.compile(r"\s*\{ #(?P<id>[a-z0-9-]+) \}$")


@dataclass(frozen=True)
class Text:
    """Markdown between two cells of code: begins with the page's title or a heading, or not."""

    source: str
    heading: str
    """The id of the heading it begins with, or nothing."""


@dataclass(frozen=True)
class CellUse:
    """A fence that names a cell; `alt` says what its picture shows."""

    lab: str
    cell: str
    alt: str
    line: int


def path_of(project: Project, lang: Language, name: str) -> Path:
    """The path of the text of the lab `name`."""
    return project.lab_pages(lang) / f"{name}.md"


def written_in(project: Project, name: str) -> tuple[Language, ...]:
    """The languages that have a text of the lab `name`."""
    return tuple(lang for lang in project.languages if path_of(project, lang, name).is_file())


def read(project: Project, lang: Language, name: str) -> Page:
    """The text of a lab as a page. Raises GuideError if there is none."""
    path = path_of(project, lang, name)
    if not path.is_file():
        remedy = f"write it: `make new lab={name}` begins one"
        raise fault(path, 1, "no such text", remedy)
    return parse(path, project.docs / lang)


def cut(page: Page) -> list[Text | CellUse]:
    """The parts of a lab's text, in their order. Raises GuideError for a malformed fence."""
    parts: list[Text | CellUse] = []
    fences = {fence.line: fence for fence in page.fences if fence.language == "cell"}
    rows: list[str] = []
    skipped = 0
    for line in page.lines:
        if line.kind == "front" or line.number <= skipped:
            continue
        if line.number in fences:
            parts += _text(rows)
            parts.append(cell_use(page.path, fences[line.number]))
            skipped, rows = line.number + len(fences[line.number].content) + 1, []
        elif line.kind == "prose" and line.text.startswith(("## ", "### ")):
            parts += _text(rows)
            rows = [line.text]
        else:
            rows.append(line.text)
    return parts + list(_text(rows))


def cell_use(path: Path, fence: Fence) -> CellUse:
    """What the fence names. Raises GuideError where it is not `lab/cell` and perhaps `alt: …`."""
    rows = [row.strip() for row in fence.content if row.strip()]
    lab, slash, cell = rows[0].partition("/") if rows else ("", "", "")
    more = dict(row.split(": ", 1) for row in rows[1:] if ": " in row)
    if not slash or len(more) != len(rows[1:]) or more.keys() - {"alt"}:
        remedy = "write lab/cell in it, and below, for a picture, 'alt: what it shows'"
        raise fault(path, fence.line, "not a cell and its alt", remedy)
    return CellUse(lab, cell, more.get("alt", ""), fence.line)


def _text(rows: list[str]) -> Iterator[Text]:
    source = "\n".join(rows).strip("\n")
    if source:
        first, newline, rest = source.partition("\n")
        match = _HEADING_ID.search(first) if first.startswith("#") else None
        title = first[: match.start()] if match else first
        yield Text(title + newline + rest, match["id"] if match else "")
