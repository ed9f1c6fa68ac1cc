"""Steps of the road: how their minutes are counted, and that none takes more than ten."""

from __future__ import annotations

from pathlib import Path

import pytest

from gpu_guide.pages.page import Page, load_pages, parse
from gpu_guide.pages.steps import check, on_road, steps
from gpu_guide.project import HERE
from gpu_guide.snippets.model import Snippet, load_snippets

PAGE = """---
title: T
halfway: second
---

# T

{first}

## First { #first }

## The *second* { #second }

{second}

## Questions { #questions }
"""


@pytest.fixture(scope="module")
def snippets() -> dict[str, Snippet]:
    return load_snippets(HERE)


@pytest.fixture
def page(tmp_path: Path):
    def page(first: str, second: str = "", text: str = PAGE) -> Page:
        path = tmp_path / "learn/x.md"
        path.parent.mkdir(exist_ok=True)
        path.write_text(
            text.replace("{first}", first).replace("{second}", second), encoding="utf-8"
        )
        return parse(path, tmp_path)

    return page


def minutes(page: Page, snippets: dict[str, Snippet], language: str = "en") -> list[float]:
    """Without the four words of the headings."""
    return [round(one, 2) for one in steps(page, language, snippets).minutes]


def test_words_and_han_are_read_at_their_speed(page, snippets) -> None:
    assert minutes(page("word " * 400), snippets) == [2.01, 0.01]
    assert minutes(page("", "学" * 600), snippets, "zh") == [0.0, 2.0]


def test_code_is_read_and_each_program_and_picture_looked_at(page, snippets) -> None:
    assert minutes(page("```bash\n" + "x\n\n" * 30 + "```"), snippets)[0] == 2.01
    assert minutes(page("```picture\nlearn/one-step\n```"), snippets)[0] == 0.51
    assert minutes(page("```snippet\nlearn/train\nshow: download\n```"), snippets)[0] == 0.51
    whole = minutes(page("```snippet\nlearn/train\n```"), snippets)[0]
    assert 2 < whole < 6


def test_a_program_whose_changes_are_shown_is_not_read_twice(page, snippets) -> None:
    changes, program = "learn/train learn/train_amp", "learn/train_amp\nshow: guess"
    both = f"```changes\n{changes}\n```\n\n```snippet\n{program}\n```"
    alone = f"```snippet\n{program}\n```"
    assert minutes(page(both), snippets)[0] < minutes(page(alone), snippets)[0] - 2


def test_the_second_step_has_a_place_and_a_name(page, snippets) -> None:
    found = steps(page("", ""), "en", snippets)
    assert (found.half, found.section, len(found.minutes)) == ("second", "The second", 2)
    whole = steps(page("", "", PAGE.replace("halfway: second\n", "")), "en", snippets)
    assert (whole.half, whole.section, len(whole.minutes)) == ("", "", 1)


@pytest.mark.parametrize(
    ("old", "new", "what"),
    [
        ("{first}", "word " * 2050, "10.3 and 0.0 minutes"),
        ("halfway: second\n", "", "elsewhere another"),
        ("halfway: second", "halfway: third", "'third'"),
        ("halfway: second", "halfway: questions", "'questions'"),
        ("halfway: second", "halfway: false", "False"),
    ],
)
def test_what_is_wrong_with_steps_is_told(page, snippets, old: str, new: str, what: str) -> None:
    good = page("")
    assert not list(check({"en": {"learn/x.md": good}, "zh": {"learn/x.md": good}}, snippets))
    bad = page("", text=PAGE.replace(old, new, 1))
    both = {"zh": {"learn/x.md": good}, "en": {"learn/x.md": bad}}
    assert any(what in problem.what for problem in check(both, snippets))


def test_chapters_and_the_first_page_are_the_road() -> None:
    road = {lang: [a for a in by if on_road(by[a])] for lang, by in load_pages(HERE)[0].items()}
    assert road["en"] == road["zh"] and len(road["en"]) == 18 and "start.md" in road["en"]
