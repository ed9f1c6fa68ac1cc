"""An answer is short and begins with the answer; a page of a topic does not grow."""

from __future__ import annotations

from pathlib import Path

import pytest

from gpu_guide import scaffold
from gpu_guide.pages import answers, long_pages
from gpu_guide.pages.page import load_pages, parse
from gpu_guide.problems import GuideError
from gpu_guide.project import HERE, Project

LISTED = 0
"""Pages on the list of long ones today."""
GOOD = """---
title: T
description: D
---

# T

## Why is it slow? { #slow }

Do this; [the page about speed](../speed/index.md) says why.

```bash
ls
```

## 为什么慢？ { #slow-too }

照做，原因见[速度](../speed/index.md)。
"""


@pytest.fixture
def told(tmp_path: Path):
    def told(text: str, han: bool = False, address: str = "answers/x.md") -> list[tuple[int, str]]:
        path = tmp_path / address
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")
        return [(found.line, found.what) for found in answers.check(parse(path, tmp_path), han)]

    return told


def test_answers_as_they_should_be_are_told_nothing(told) -> None:
    assert told(GOOD) == told(GOOD, han=True) == []


def test_footnotes_at_the_end_of_the_page_are_not_part_of_the_last_answer(told) -> None:
    assert told(GOOD + "\n[^a]: " + "源" * 320 + "。\n", han=True) == []


@pytest.mark.parametrize(
    ("old", "new", "told_at"),
    [
        ("slow? {", "slow {", (8, "no question: 'Why is it slow'")),
        ("Do this", "Do " + "it " * 200, (8, "207 words, at most 200 in an answer")),
        ("Do this", "- Do this", (8, "an answer that does not begin with one")),
        ("Do this", "### Part? { #p }\n\nDo", (10, "a part of an answer: 'Part?'")),
        ("../speed/index.md) says", "https://x.org/) says", (8, "an answer without a link to why")),
    ],
)
def test_what_an_answer_lacks_is_told(told, old: str, new: str, told_at) -> None:
    assert old in GOOD
    assert told_at in told(GOOD.replace(old, new))
    assert told(GOOD.replace(old, new), address="speed/x.md") == []


def test_chinese_characters_count_and_code_does_not(told) -> None:
    assert told(GOOD.replace("照做", "学" * 310), han=True) == []
    found = told(GOOD.replace("照做", "学" * 330), han=True)
    assert [what.partition(" ")[2] for _, what in found] == ["han, at most 320 in an answer"]
    assert told(GOOD.replace("ls\n", "word " * 300 + "\n")) == []


@pytest.fixture
def guide(tmp_path: Path) -> Project:
    """A guide with two pages, one of which has ten headings."""
    for file, language in (("mkdocs.yml", "zh"), ("mkdocs.en.yml", "en")):
        (tmp_path / file).write_text(f"docs_dir: docs/{language}\nnav: []\n", encoding="utf-8")
        page = tmp_path / "docs" / language / "speed" / "x.md"
        page.parent.mkdir(parents=True)
        parts = "".join(f"## H {{ #h-{n} }}\n\nText.\n\n" for n in range(10))
        page.write_text(f"---\ntitle: T\n---\n\n# T\n\n{parts}", encoding="utf-8")
        answer = tmp_path / "docs" / language / "answers" / "speed.md"
        answer.parent.mkdir()
        answer.write_text("---\ntitle: T\n---\n\n# T\n", encoding="utf-8")
    (tmp_path / "data").mkdir()
    return Project(tmp_path)


def _long(guide: Project, listed: str) -> set[str]:
    guide.long_pages.write_text(listed, encoding="utf-8")
    return {found.what for found in long_pages.check(guide, load_pages(guide)[0])}


def test_a_page_of_a_topic_is_short_or_listed_and_does_not_grow(guide: Project) -> None:
    assert _long(guide, "# none\n") == {"10 headings, at most 9"}
    assert _long(guide, "speed/x: { headings: 10 }\n") == set()
    assert _long(guide, "speed/x: { headings: 9 }\n") >= {"10 headings, at most 9"}


def test_an_entry_that_is_not_needed_is_told(guide: Project) -> None:
    listed = "speed/x: { headings: 10, words: 2600 }\nspeed/gone: { han: 5000 }\n"
    assert _long(guide, listed) == {
        "'speed/x' needs no entry for 'words'",
        "'speed/gone' needs no entry for 'han'",
    }
    (wrong,) = _long(guide, "speed/x: { heads: 10 }\n")
    assert wrong == "speed/x: 'heads'"
    (twice,) = _long(guide, "speed/x: { headings: 10 }\nspeed/x: { headings: 12 }\n")
    assert twice == "speed/x: 'headings' again"
    (unread,) = _long(guide, "speed/x: {\n")
    assert unread.startswith("not YAML: ")


def test_a_new_answer_is_asked_in_both_languages_and_never_twice(guide: Project) -> None:
    said: list[str] = []
    scaffold.new_answer("speed/slow-disk", guide, said.append)
    for language in ("zh", "en"):
        page = load_pages(guide)[0][language]["answers/speed.md"]
        assert [(heading.level, heading.id) for heading in page.headings] == [
            (1, None),
            (2, "slow-disk"),
        ]
        assert list(answers.check(page, language == "zh")) == []
        assert f"asked: docs/{language}/answers/speed.md:{page.headings[1].line}" in said
        assert "TODO" in page.path.read_text(encoding="utf-8")
    for language in ("zh", "en"):
        path = guide.docs / language / "answers" / "speed.md"
        path.write_text(path.read_text(encoding="utf-8") + "\n[^a]: S.\n[^b]: T.\n", "utf-8")
    scaffold.new_answer("speed/second", guide, said.append)
    text = (guide.docs / "en" / "answers" / "speed.md").read_text(encoding="utf-8")
    assert "\n\n## " in text and text.endswith(".\n\n[^a]: S.\n[^b]: T.\n"), "footnotes stay last"
    for name, says in (
        ("speed/slow-disk", "is there already"),
        ("nothing/slow", "make new page=answers/nothing"),
        ("speed", "not the name of an answer"),
    ):
        with pytest.raises(GuideError, match=says):
            scaffold.new_answer(name, guide, said.append)


def test_the_list_of_long_pages_only_shrinks() -> None:
    """It began with 30 pages and is never to be longer: whoever takes one off lowers the number."""
    assert len({name for name, _ in long_pages._read(HERE.long_pages)}) <= LISTED
