"""Whether the halves of a page are in line."""

from __future__ import annotations

from pathlib import Path

import pytest
from page_faults import DIFFERENCES, NAMES, check
from small_guides import edit

from gpu_guide.pages.differences import behind
from gpu_guide.pages.page import parse
from gpu_guide.pages.translations import mark_in_line, notices, stale
from gpu_guide.problems import GuideError
from gpu_guide.project import Project


@pytest.mark.parametrize(("file", "old", "new", "message"), DIFFERENCES)
def test_a_difference_is_found_in_halves_that_say_they_are_in_line(
    docs: Path, file: str, old: str, new: str, message: str
) -> None:
    edit(docs / file, old, new)
    mark_in_line(Project(docs.parent), file[3:])
    found = [str(problem) for problem in check(docs, NAMES)]
    hits = [text for text in found if message in text]
    assert hits and all(" — " in text for text in hits), "\n".join(["not found", *found])
    assert any(f"/{file}:" in text or f"/zh/{file[3:]}:" in text for text in hits)


@pytest.mark.parametrize(("file", "old", "new", "message"), DIFFERENCES)
def test_an_edit_of_one_half_is_told_and_no_problem(
    docs: Path, file: str, old: str, new: str, message: str
) -> None:
    mark_in_line(Project(docs.parent), file[3:])
    edit(docs / file, old, new)
    assert [str(problem) for problem in check(docs, NAMES)] == []
    assert any(message in str(notice) for notice in behind(Project(docs.parent)))


def test_a_page_of_one_language_alone_is_told_and_no_problem(docs: Path) -> None:
    """Links to it hold in both languages, ids included: the other's site shows a notice there."""
    (docs / "en" / "topic" / "second.md").unlink()
    edit(docs / "zh" / "topic" / "second.md", 'twin: "000000000000"\n', "")
    mark_in_line(Project(docs.parent), "index.md")
    assert check(docs, NAMES) == []
    (notice,) = map(str, notices(Project(docs.parent)))
    assert "zh/topic/second.md: this page is in 'zh' alone — " in notice
    edit(docs / "en" / "index.md", "second.md#one", "second.md#two")
    (problem,) = map(str, check(docs, NAMES))
    assert "en/index.md:9: no id 'two' on " in problem


def test_a_page_whose_other_half_is_gone_is_a_problem(docs: Path) -> None:
    """A half that was deleted or renamed by mistake is told by the mark that is left."""
    (docs / "en" / "topic" / "second.md").unlink()
    (problem,) = map(str, check(docs, NAMES))
    assert "zh/topic/second.md:4: its other half " in problem and "is not there" in problem


def test_marked_pages_are_in_line_until_one_changes(docs: Path) -> None:
    for page in ("index.md", "topic/second.md"):
        mark_in_line(Project(docs.parent), page)
    assert stale(Project(docs.parent)) == {"zh": [], "en": []}
    edit(docs / "en" / "topic" / "second.md", "# Second", "# The second")
    assert stale(Project(docs.parent)) == {"zh": ["topic/second.md"], "en": []}
    edit(docs / "zh" / "index.md", "一个只给", "这是一个只给")
    assert stale(Project(docs.parent)) == {"zh": ["topic/second.md"], "en": ["index.md"]}
    mark_in_line(Project(docs.parent), "topic/second.md")
    mark_in_line(Project(docs.parent), "index.md")
    assert stale(Project(docs.parent)) == {"zh": [], "en": []}
    assert check(docs, NAMES) == []


def test_marking_twice_changes_nothing(docs: Path) -> None:
    mark_in_line(Project(docs.parent), "index.md")
    before = {path: path.read_bytes() for path in docs.rglob("*.md")}
    mark_in_line(Project(docs.parent), "index.md")
    assert {path: path.read_bytes() for path in docs.rglob("*.md")} == before
    assert parse(docs / "en" / "index.md").front["title"] == "Home"


@pytest.mark.parametrize(
    ("old", "new", "is_stale"),
    [
        ("See [the second page]", "See\n[the   second page]", False),
        ("title: Home", 'title: "Home"', False),
        ("# Home\n", "# Home\n\n\n", False),
        ("nvidia-smi  #", "nvidia-smi -L  #", True),
        ("topic/first", "topic/other", True),
        ("title: Home", "title: House", True),
    ],
)
def test_what_counts_as_a_change(docs: Path, old: str, new: str, is_stale: bool) -> None:
    for page in ("index.md", "topic/second.md"):
        mark_in_line(Project(docs.parent), page)
    edit(docs / "en" / "index.md", old, new)
    assert stale(Project(docs.parent))["zh"] == (["index.md"] if is_stale else [])


def test_a_hash_of_decimal_digits_stays_a_text(docs: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gpu_guide.pages.translations.text_hash", lambda page: "123456789012")
    mark_in_line(Project(docs.parent), "index.md")
    assert parse(docs / "en" / "index.md").front["twin"] == "123456789012"
    assert stale(Project(docs.parent))["zh"] == ["topic/second.md"]


def test_marking_a_page_whose_front_matter_ends_with_dots(docs: Path) -> None:
    """YAML's other way to end it; further down the page may have rules of three hyphens."""
    path = docs / "en" / "index.md"
    head, body = path.read_text(encoding="utf-8").split("---\n", 2)[1:]
    path.write_text(f"---\n{head}...\n{body}\n---\n\nThe end.\n", encoding="utf-8")
    mark_in_line(Project(docs.parent), "index.md")
    assert path.read_text(encoding="utf-8").count("twin:") == 1
    assert path.read_text(encoding="utf-8").endswith(f"...\n{body}\n---\n\nThe end.\n")
    assert stale(Project(docs.parent))["en"] == ["topic/second.md"]


def test_marking_keeps_windows_line_ends(docs: Path) -> None:
    path = docs / "en" / "index.md"
    path.write_bytes(path.read_bytes().replace(b"\r\n", b"\n").replace(b"\n", b"\r\n"))
    mark_in_line(Project(docs.parent), "index.md")
    assert path.read_bytes().count(b"\n") == path.read_bytes().count(b"\r\n")
    assert stale(Project(docs.parent))["zh"] == ["topic/second.md"]


def test_marking_a_page_that_has_no_other_half(docs: Path) -> None:
    (docs / "en" / "index.md").unlink()
    with pytest.raises(GuideError, match=r"en/index\.md:1: no such page"):
        mark_in_line(Project(docs.parent), "index.md")


def test_marking_a_page_without_front_matter(docs: Path) -> None:
    (docs / "en" / "index.md").write_text("# Home\n", encoding="utf-8")
    with pytest.raises(GuideError, match="no front matter"):
        mark_in_line(Project(docs.parent), "index.md")
