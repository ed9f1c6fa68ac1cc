"""How long a chapter takes, and where one may stop: a step of the road is at most ten minutes.

Nobody types minutes, they are counted. Prose is read at 200 words or 300 Chinese characters a
minute and code at fifteen lines; half a minute goes to each picture, and to each program, which one
runs, or whose output one guesses. Where the changes to a program are shown above it, they are read
and not the whole. A chapter that takes longer has two steps: `halfway` in its front matter names
the section with which the second begins.
"""

from __future__ import annotations

import difflib
import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import pairwise

from gpu_guide.pages.chapters import CAN_NOW, QUESTIONS, count, is_chapter
from gpu_guide.pages.lines import Fence, units, visible
from gpu_guide.pages.page import Page
from gpu_guide.problems import Problem
from gpu_guide.project import about
from gpu_guide.snippets.distributed_setup import FRAME
from gpu_guide.snippets.model import Snippet

FIRST = "start.md"
LONGEST = 10
WORDS, HAN, LINES, EACH = 200, 300, 15, 0.5
"""Words, Chinese characters and lines of code in a minute; minutes for a picture or a program."""


@dataclass(frozen=True)
class Steps:
    """The minutes of each step of a chapter, and the section with which the second begins."""

    minutes: tuple[float, ...]
    half: str = ""
    section: str = ""

    @property
    def said(self) -> list[int]:
        """The minutes as a reader is told them."""
        return [math.ceil(one) for one in self.minutes]


def on_road(page: Page) -> bool:
    """Whether the page is a step of the road: a chapter, or the page that comes before them all."""
    return page.address == FIRST or is_chapter(page)


def steps(page: Page, language: str, snippets: Mapping[str, Snippet]) -> Steps:
    """How a chapter is divided."""
    named = page.front.get("halfway")
    half = next((one for one in page.headings if named and one.id == named), None)
    cuts = [0, half.line, len(page.lines) + 1] if half else [0, len(page.lines) + 1]
    read = [fence.content for fence in page.fences if fence.language == "changes"]
    changed = {name for names in read for name in " ".join(names).split()[1:]}
    minutes = [
        _prose(page, first, below, language)
        + sum(
            _fence(fence, language, snippets, changed)
            for fence in page.fences
            if first <= fence.line < below
        )
        for first, below in pairwise(cuts)
    ]
    return Steps(tuple(minutes), *((half.id or "", visible(half.text)) if half else ()))


def check(
    pages: Mapping[str, Mapping[str, Page]], snippets: Mapping[str, Snippet]
) -> Iterator[Problem]:
    """Steps that are too long, and places to stop that are none, or not everywhere the same."""
    cut: dict[str, str | None] = {}
    for language in pages:
        for page in filter(on_road, pages[language].values()):
            found, half = steps(page, language, snippets), page.front.get("halfway")
            line = page.front_lines.get("halfway", 1)
            places = [one.id for one in page.headings if one.level == 2]
            if half is not None and half not in {*places} - {QUESTIONS, CAN_NOW, None}:
                remedy = "name a section { #… } above the questions"
                yield Problem(page.path, line, f"halfway: {half!r}", remedy)
            if half != cut.setdefault(page.address, half):
                remedy = "stop at the same section in all languages"
                yield Problem(page.path, line, f"halfway: {half!r}, elsewhere another", remedy)
            if max(found.minutes) > LONGEST:
                told = " and ".join(f"{one:.1f}" for one in found.minutes)
                remedy = (
                    f"no step takes more than {LONGEST}: write less, "
                    "or let `halfway` name the section where the second step begins"
                )
                yield Problem(page.path, line, f"{told} minutes", remedy)


def _prose(page: Page, first: int, below: int, language: str) -> float:
    han = bool(about(language).han)
    lines = (one for one in page.lines if one.kind == "prose" and first <= one.number < below)
    text = "\n".join(visible(unit) for line in lines for unit in units(line))
    return count(text, han) / (HAN if han else WORDS)


def _fence(
    fence: Fence, language: str, snippets: Mapping[str, Snippet], changed: Iterable[str]
) -> float:
    names = " ".join(fence.content).split()
    if fence.language in ("picture", "plot"):
        return EACH
    known = [snippets[name] for name in names if name in snippets]
    if fence.language == "changes":
        sides = [one.code(language, ()).split("\n") for one in known[:2]]
        rows = list(difflib.unified_diff(*sides, n=0, lineterm=""))[2:] if len(sides) == 2 else []
        return sum(row[0] in "+-" and bool(row[1:].strip()) for row in rows) / LINES
    if fence.language != "snippet":
        return sum(bool(line.strip()) for line in fence.content) / LINES
    if not known or known[0].name in changed or "show: download" in " ".join(names):
        return EACH
    code = known[0].code(language, ()).replace(FRAME, "")
    return EACH + sum(bool(line.strip()) for line in code.split("\n")) / LINES
