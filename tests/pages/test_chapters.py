"""What a chapter of the book owes its reader, told where it lacks something."""

from __future__ import annotations

from pathlib import Path

import pytest

from gpu_guide.pages.chapters import check, is_chapter, length
from gpu_guide.pages.page import load_pages, parse
from gpu_guide.project import HERE

GOOD = """---
title: T
description: A description of it.
---

# T

One idea, in a few words: `x.to(device)` and [a link](../to/index.md#copies).

```picture
learn/two-memories
```

## Questions { #questions }

```snippet
t/a
show: guess
```

```snippet
t/b
show: guess
```

```snippet
t/c
show: guess
```

## You can now { #you-can-now }

- do it.
"""


@pytest.fixture
def told(tmp_path: Path):
    def told(text: str, han: bool = False, address: str = "learn/x.md") -> list[str]:
        path = tmp_path / address
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")
        return [problem.what for problem in check(parse(path, tmp_path), han)]

    return told


def test_a_chapter_as_it_should_be_is_told_nothing(told) -> None:
    assert told(GOOD) == []


@pytest.mark.parametrize(
    ("old", "new", "what"),
    [
        ("```picture\nlearn/two-memories\n```\n", "", "a chapter without a picture"),
        ("t/c\nshow: guess", "t/c", "2 questions, not 3"),
        ("{ #questions }", "{ #exam }", "a chapter that does not end as one"),
        ("- do it.\n", "- do it.\n\n## More { #more }\n", "a chapter that does not end as one"),
    ],
)
def test_what_it_lacks_is_told(told, old: str, new: str, what: str) -> None:
    assert old in GOOD
    assert told(GOOD.replace(old, new)) == [what]
    assert told(GOOD.replace(old, new), address="memory/x.md") == []
    assert told(GOOD.replace(old, new), address="learn/index.md") == []


def test_it_is_short_and_code_does_not_count(told) -> None:
    long = GOOD.replace("- do it.", f"- do {'it ' * 1480}")
    assert told(long) == []
    assert told(long.replace("do it", "do it and " + "more " * 30)) == [
        "1526 words, at most 1500 in a chapter"
    ]
    code = "```text\n" + "word " * 2000 + "\n```\n\n## Questions"
    assert told(GOOD.replace("## Questions", code)) == []
    assert told(GOOD.replace("- do it.", "学" * 2400), han=True) == []
    assert told(GOOD.replace("- do it.", "学" * 2401), han=True) == [
        "2401 han, at most 2400 in a chapter"
    ]


def test_links_and_code_are_no_words(tmp_path: Path) -> None:
    path = tmp_path / "x.md"
    path.write_text("# T { #t }\n\nSee `a b c` and [the page](../to/index.md#copies).\n", "utf-8")
    assert length(parse(path, tmp_path), han=False) == 5


def test_there_are_chapters_in_every_language() -> None:
    pages = load_pages(HERE)[0]
    chapters = {
        language: {page.address for page in by_address.values() if is_chapter(page)}
        for language, by_address in pages.items()
    }
    assert len(set(map(frozenset, chapters.values()))) == 1 and len(chapters["en"]) >= 2
