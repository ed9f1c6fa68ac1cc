"""The chapters lead to one another in the order of the navigation, under the names they have."""

from __future__ import annotations

import posixpath
import re
from itertools import pairwise

import pytest

from gpu_guide.pages.nav import entries
from gpu_guide.pages.page import Page, parse
from gpu_guide.project import HERE

_LINK = re.compile(r"\[([^\]]+)\]\(([^)#]+\.md)(?:#[\w-]+)?\)")


def page_at(lang: str, address: str) -> Page:
    docs = HERE.docs / lang
    return parse(docs / address, docs)


def links(page: Page, first: int = 0) -> list[tuple[str, str]]:
    """The words and the page of each link from this line on."""
    here = posixpath.dirname(page.address)
    text = "\n".join(line.text for line in page.lines[first:] if line.kind == "prose")
    found = _LINK.findall(text)
    return [(words, posixpath.normpath(posixpath.join(here, to))) for words, to in found]


def road(lang: str) -> list[str]:
    addresses = [entry.address for entry in entries(HERE.configs[lang])]
    return ["start.md", *(a for a in addresses if a.startswith("learn/") and a != "learn/index.md")]


@pytest.mark.parametrize("lang", sorted(HERE.languages))
def test_each_chapter_ends_with_a_link_to_the_next(lang: str) -> None:
    chapters = road(lang)
    for address, following in pairwise(chapters):
        page = page_at(lang, address)
        (end,) = (heading.line for heading in page.headings if heading.id == "you-can-now")
        led = [to for _, to in links(page, end) if to in chapters]
        assert led == [following], address


@pytest.mark.parametrize("lang", sorted(HERE.languages))
def test_the_list_of_chapters_is_in_order_and_has_their_names(lang: str) -> None:
    named = [(to, words) for words, to in links(page_at(lang, "learn/index.md"))]
    chapters = road(lang)
    assert named[: len(chapters)] == [(a, page_at(lang, a).title) for a in chapters]


@pytest.mark.parametrize("lang", sorted(HERE.languages))
def test_what_is_called_a_chapter_is_one(lang: str) -> None:
    for address in road(lang):
        named = links(page_at(lang, address))
        called = [to for words, to in named if re.search("chapter|章", words)]
        assert [to for to in called if to not in road(lang)] == [], address
