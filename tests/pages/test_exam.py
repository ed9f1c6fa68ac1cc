"""Twenty questions of beginners: for each, sections of the book that exist and hold its answer.

`exam.yml` names them, and words of the answer, which tell when a section loses it.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import yaml

from gpu_guide.pages.chapters import check, is_chapter
from gpu_guide.pages.page import Page, parse
from gpu_guide.project import HERE

EXAM: list[dict[str, Any]] = yaml.safe_load(
    Path(__file__).with_name("exam.yml").read_text(encoding="utf-8")
)


FIRST = "start.md"
"""The first chapter, which has kept its address: search finds its sections, as it did before."""


@cache
def page_at(lang: str, address: str) -> Page:
    docs = HERE.docs / lang
    return parse(docs / address, docs)


def section(lang: str, answer: str) -> str:
    """The text of a section, with the parts below it."""
    path, _, anchor = answer.partition("#")
    page = page_at(lang, f"{path}.md")
    assert is_chapter(page) or page.address == FIRST, f"{answer}: not a chapter"
    found = [heading for heading in page.headings if heading.id == anchor]
    assert found, f"{lang}: {answer}: no such section"
    (here,) = found
    ends = [h.line for h in page.headings if h.line > here.line and h.level <= here.level]
    end = min(ends, default=len(page.lines) + 1)
    return "\n".join(line.text for line in page.lines[here.line - 1 : end - 1])


@pytest.mark.parametrize("lang", sorted(HERE.languages))
def test_the_first_chapter_has_the_form_of_one(lang: str) -> None:
    page = replace(page_at(lang, FIRST), address="learn/start.md")
    assert is_chapter(page) and list(check(page, lang == "zh")) == []


def test_there_are_twenty() -> None:
    assert len({one["asks"] for one in EXAM}) == len(EXAM) == 20


@pytest.mark.parametrize("one", EXAM, ids=lambda one: one["asks"][:40])
@pytest.mark.parametrize("lang", sorted(HERE.languages))
def test_chapters_answer_it(one: dict[str, Any], lang: str) -> None:
    assert one["answered"] and one["says"][lang]
    text = "\n".join(section(lang, answer) for answer in one["answered"])
    assert [words for words in one["says"][lang] if words not in text] == []
