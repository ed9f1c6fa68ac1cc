"""Glossary links of the chapters: a word that an earlier chapter linked is known."""

from __future__ import annotations

import re
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from built_site import LANGUAGES

from gpu_guide.site.known_terms import without_known

TERM = re.compile(r'<a href="[^"]*reference/glossary/#([^"]+)">')


def term(id: str) -> str:
    return f'<p><a href="../../reference/glossary/#{id}">{id}</a></p>'


def page(path: str, content: str, before: Any = None) -> Any:
    file = SimpleNamespace(src_uri=path)
    return SimpleNamespace(file=file, content=content, previous_page=before)


def test_a_chapter_links_what_no_chapter_before_it_has() -> None:
    home = page("index.md", term("tensor"))
    first = page("start.md", term("wheel"), home)
    second = page("learn/train.md", term("stream"), first)
    third = page("learn/move.md", "", second)
    said = term("wheel") + term("stream") + term("tensor")
    assert without_known(said, third) == f"<p>wheel</p><p>stream</p>{term('tensor')}"
    assert without_known(said, first) == said
    assert without_known(said, page("memory/index.md", "", third)) == said


@pytest.mark.parametrize("language", LANGUAGES)
def test_over_all_chapters_each_term_is_linked_once(site: Path, language: str) -> None:
    pages = [site / language / "start/index.html", *(site / language / "learn").rglob("*.html")]
    links = [id for one in pages for id in TERM.findall(one.read_text(encoding="utf-8"))]
    assert len(links) == len(set(links)) > 10
