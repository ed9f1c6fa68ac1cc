"""Checks of pages of answers: see `docs/*/answers`.

Each section answers one question about one program, one machine or one symptom, shortly; a topic
page explains why.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from gpu_guide.pages.chapters import size
from gpu_guide.pages.page import Heading, Page
from gpu_guide.problems import Problem

FOLDER = "answers/"
LONGEST = {"han": 320, "words": 200}
"""The most that an answer may have, of Chinese characters or of words; code does not count."""
_BLOCK = re.compile(r"[-*+] |\d+\. |\||!!!|\?\?\?|===")


def is_answers(page: Page) -> bool:
    """Whether the page holds answers, and is not the list of such pages."""
    return page.address.startswith(FOLDER) and page.address != f"{FOLDER}index.md"


def check(page: Page, han: bool) -> Iterator[Problem]:
    """What an answer lacks, or has too much of."""
    if not is_answers(page):
        return
    parts = [heading for heading in page.headings if heading.level > 1]
    if not parts:
        yield Problem(page.path, 1, "no answer", "ask a question in a heading `## … ?`")
    ends = [heading.line for heading in parts[1:]] + [len(page.lines) + 1]
    for heading, end in zip(parts, ends, strict=True):
        yield from _answer(page, heading, end, han)


def _answer(page: Page, heading: Heading, end: int, han: bool) -> Iterator[Problem]:
    if heading.level != 2:
        remedy = "give each question a heading ##, and shorten its answer until it needs no parts"
        yield Problem(page.path, heading.line, f"a part of an answer: {heading.text!r}", remedy)
    elif not heading.text.endswith(("?", "？")):
        what, remedy = f"no question: {heading.text!r}", "ask what the reader asks, and end with ?"
        yield Problem(page.path, heading.line, what, remedy)
    lines = page.lines[heading.line : end - 1]
    kind = "han" if han else "words"
    answer = [line for line in lines if not line.text.startswith("[^")]  # the page's footnotes
    if (found := size(answer, han)) > LONGEST[kind]:
        what = f"{found} {kind}, at most {LONGEST[kind]} in an answer"
        remedy = "keep what to do, and move why to the topic page that it links to"
        yield Problem(page.path, heading.line, what, remedy)
    first = next((line for line in lines if line.kind != "blank"), None)
    if first is None or first.kind != "prose" or _BLOCK.match(first.text):
        what, remedy = "an answer that does not begin with one", "answer in its first paragraph"
        yield Problem(page.path, heading.line, what, remedy)
    if not any(
        heading.line < link.line < end and ".md" in link.target and not link.image
        for link in page.links
    ):
        remedy = "link to the page of the guide that says why"
        yield Problem(page.path, heading.line, "an answer without a link to why", remedy)
