"""Predict, then run: questions whose answer is the output of a tested snippet, behind a button."""

from __future__ import annotations

import re

import pytest

from gpu_guide.pages.page import Page, parse
from gpu_guide.project import HERE
from gpu_guide.records.evidence import runs
from gpu_guide.records.store import load_records
from gpu_guide.snippets.model import load_snippets

PAGES_WITH_A_QUESTION = 25
Asked = dict[str, list[tuple[str, str]]]
QUESTION = re.compile(r"[?？]|\bguess\b", re.IGNORECASE)


def guesses(page: Page) -> list[tuple[str, str]]:
    """The snippets that a page has to be guessed, each with the paragraph above it."""
    found = []
    for use in page.snippets:
        if "show: guess" in use.options:
            above = [line.text for line in page.lines if line.number < use.line]
            texts = [text for text in above if text.strip() and not text.lstrip().startswith("```")]
            found.append((use.name, texts[-1]))
    return found


def asked(language: str) -> Asked:
    """By page, what it has to be guessed."""
    folder = HERE.docs / language
    pages = {
        path.relative_to(folder).as_posix(): guesses(parse(path))
        for path in sorted(folder.rglob("*.md"))
    }
    return {name: found for name, found in pages.items() if found}


@pytest.fixture(scope="module")
def everywhere() -> dict[str, Asked]:
    return {language: asked(language) for language in HERE.languages}


def test_enough_pages_have_a_question(everywhere: dict[str, Asked]) -> None:
    for language, pages in everywhere.items():
        assert len(pages) >= PAGES_WITH_A_QUESTION, (language, sorted(pages))


def test_every_language_asks_the_same(everywhere: dict[str, Asked]) -> None:
    named = [
        {page: [name for name, _ in found] for page, found in pages.items()}
        for pages in everywhere.values()
    ]
    assert all(pages == named[0] for pages in named)


def test_a_question_stands_right_above_the_code(everywhere: dict[str, Asked]) -> None:
    """Without it the reader meets code whose output is missing, and does not know why."""
    silent = [
        (language, page, name)
        for language, pages in everywhere.items()
        for page, found in pages.items()
        for name, above in found
        if not QUESTION.search(above)
    ]
    assert not silent


def test_an_answer_was_printed_by_a_machine(everywhere: dict[str, Asked]) -> None:
    """An output that is not recorded yet would be a button with nothing behind it."""
    snippets, records = load_snippets(HERE), load_records(HERE)
    names = {name for pages in everywhere.values() for found in pages.values() for name, _ in found}
    unanswered = [name for name in names if not runs(snippets[name], records, "x")[0].prints]
    assert not unanswered
