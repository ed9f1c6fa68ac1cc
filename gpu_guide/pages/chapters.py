"""Checks of chapters of the book: see `docs/*/learn`.

One idea, short enough for one sitting, with a picture; at its end three questions, whose answers
are outputs of code, and what the reader can do now.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from gpu_guide.pages.lines import Line
from gpu_guide.pages.page import Page
from gpu_guide.problems import Problem

FOLDER = "learn/"
QUESTIONS, CAN_NOW = "questions", "you-can-now"
ASKED = 3
LONGEST = {"han": 2400, "words": 1500}
"""The most that a chapter may have, of Chinese characters or of words."""
_HAN = re.compile(r"[\u4e00-\u9fff]")
_WORD = re.compile(r"[A-Za-z][\w'’-]*")
_ADDRESS = re.compile(r"\]\([^)]*\)|`[^`]*`|\{ ?#[\w-]+ ?\}|<[^>]*>")


def is_chapter(page: Page) -> bool:
    """Whether the page is one of the book's, and not its table of contents."""
    return page.address.startswith(FOLDER) and page.address != f"{FOLDER}index.md"


def length(page: Page, han: bool) -> int:
    """How many Chinese characters, or words, the text of a page has: code does not count."""
    return size(page.lines, han)


def size(lines: Iterable[Line], han: bool) -> int:
    """The same of some lines of a page."""
    return words("\n".join(line.text for line in lines if line.kind == "prose"), han)


def words(text: str, han: bool) -> int:
    """The same of Markdown without blocks of code."""
    return count(_ADDRESS.sub(" ", text), han)


def count(text: str, han: bool) -> int:
    """The same of a text as a reader sees it."""
    return len((_HAN if han else _WORD).findall(text))


def check(page: Page, han: bool) -> Iterator[Problem]:
    """What a chapter lacks, or has too much of."""
    if not is_chapter(page):
        return
    kind = "han" if han else "words"
    if (found := length(page, han)) > LONGEST[kind]:
        remedy = "keep its one idea, and move the rest to a topic page or an answer"
        yield Problem(page.path, 1, f"{found} {kind}, at most {LONGEST[kind]} in a chapter", remedy)
    if not any(fence.language in ("picture", "plot") for fence in page.fences):
        remedy = "draw its idea: data/pictures.yml"
        yield Problem(page.path, 1, "a chapter without a picture", remedy)
    yield from _end(page)


def _end(page: Page) -> Iterator[Problem]:
    parts = [heading for heading in page.headings if heading.level == 2]
    last = [heading.id for heading in parts[-2:]]
    if last != [QUESTIONS, CAN_NOW]:
        remedy = f"end with sections {{ #{QUESTIONS} }} and {{ #{CAN_NOW} }}"
        yield Problem(page.path, len(page.lines), "a chapter that does not end as one", remedy)
        return
    begin, end = (heading.line for heading in parts[-2:])
    asked = [
        use for use in page.snippets if begin < use.line < end and use.options == ("show: guess",)
    ]
    if len(asked) != ASKED:
        remedy = "ask for the output of a snippet, with `show: guess` below its name"
        what = f"{len(asked)} questions, not {ASKED}"
        yield Problem(page.path, begin, what, remedy)
