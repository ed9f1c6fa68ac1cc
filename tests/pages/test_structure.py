"""What a page holds, and small guides with one fault each."""

from __future__ import annotations

from pathlib import Path

import pytest
from page_faults import FAULTS, NAMES, check
from small_guides import begin, edit

from gpu_guide.pages.page import parse


def test_a_correct_tree_has_no_problems(docs: Path) -> None:
    assert [str(problem) for problem in check(docs, NAMES)] == []


@pytest.mark.parametrize(("file", "old", "new", "message"), FAULTS)
def test_fault_is_found(docs: Path, file: str, old: str, new: str, message: str) -> None:
    edit(docs / file, old, new)
    found = [str(problem) for problem in check(docs, NAMES)]
    hits = [text for text in found if message in text]
    assert hits, "\n".join(["not found", *found])
    assert all(" — " in text for text in hits)
    assert any(f"/{file}:" in text or f"/zh/{file[3:]}:" in text for text in hits)


def test_a_snippet_that_no_page_shows(docs: Path) -> None:
    found = [str(problem) for problem in check(docs, [*NAMES, "topic/unused"])]
    assert len(found) == 1
    assert "snippets/topic/unused.py:1: no page shows this snippet — " in found[0]


def test_an_empty_folder_is_a_problem(tmp_path: Path) -> None:
    assert [problem.what for problem in check(begin(tmp_path).docs, [])] == ["no pages", "no pages"]


def test_a_page_that_is_not_utf_8(docs: Path) -> None:
    (docs / "zh" / "index.md").write_bytes("---\ntitle: 首页\n".encode("gbk"))
    found = [str(problem) for problem in check(docs, NAMES)]
    assert any("zh/index.md:2: not UTF-8" in text for text in found), found


def test_what_a_page_holds(docs: Path) -> None:
    page = parse(docs / "en" / "index.md")
    assert (page.title, page.description[:7]) == ("Home", "A small")
    assert [(h.level, h.text, h.id, h.line) for h in page.headings] == [
        (1, "Home", None, 7),
        (2, "More", "more", 26),
    ]
    assert [(fence.language, fence.line) for fence in page.fences] == [
        ("bash", 14),
        ("snippet", 32),
        ("text", 40),
    ]
    assert page.fences[2].content == ("RuntimeError: from here on",)
    assert [(use.name, use.options) for use in page.snippets] == [("topic/first", ())]
    assert [block.what for block in page.skeleton] == [
        "!!! note",
        "tab",
        "tab",
        "table of 2 columns and 1 rows",
    ]
    assert [(link.target, link.image) for link in page.links] == [
        ("topic/second.md#one", False),
        ("#more", False),
        ("https://pytorch.org", False),
        ("picture.svg", True),
    ]
