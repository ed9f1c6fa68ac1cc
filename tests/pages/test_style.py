"""Each habit of data/style is found in its example, and `make check` tells what is wrong."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from gpu_guide.pages import style
from gpu_guide.pages.chinese import check_text
from gpu_guide.pages.lines import visible
from gpu_guide.pages.page import parse
from gpu_guide.problems import GuideError
from gpu_guide.project import HERE

LABS = [f"labs/{path.stem}" for path in (HERE.docs / "en/labs").glob("*.md")]
EXAMPLES = [
    pytest.param(kind, language, habit, id=json.dumps(habit["as"]))
    for language in HERE.languages
    for kind, habits in style.habits(language).items()
    for habit in habits
]


@pytest.mark.parametrize(("kind", "language", "habit"), EXAMPLES)
def test_a_habit_is_found_in_its_example(
    tmp_path: Path, kind: str, language: str, habit: dict[str, str]
) -> None:
    right = habit.get("unlike", "`code`")
    if kind == "often":
        assert habit["find"].search(visible(habit["as"]))
        assert not habit["find"].search(visible(right))
        return
    page = tmp_path / "page.md"
    for text, problems in ((habit["as"], 1), (right, 0)):
        page.write_text(f"# A page\n\n{text}\n", encoding="utf-8")
        told = style.check(parse(page), language) if language == "en" else check_text(text)
        assert [habit["write"] in str(one) for one in told] == [True] * problems


def test_rates_are_of_prose_alone() -> None:
    (rate,) = (one for one in style.rates(HERE, "zh", ["check/hardware"]) if "我们" in one)
    assert 1 < float(rate.split()[0]) < 5 and rate.endswith("(4.8–12.5)")


def test_rates_of_a_folder_and_of_no_page() -> None:
    folder, pages = (list(style.rates(HERE, "en", names)) for names in (["labs"], LABS))
    assert folder == pages != list(style.rates(HERE, "en", LABS[1:]))
    with pytest.raises(GuideError, match=r"^no page 'lab/index' — did you mean 'labs/index'\?$"):
        list(style.rates(HERE, "en", ["lab/index"]))
