"""Counts in prose: what a list holds them to, and which ones nothing does."""

from __future__ import annotations

from pathlib import Path

import pytest

from gpu_guide.pages.counts import check
from gpu_guide.pages.page import parse

LIST = "\n\n- one\n\n    more of it\n\n- two\n- three\n"
TABLE = "\n\n| a | b |\n|---|---|\n| 1 | 2 |\n| 3 | 4 |\n"


def found(folder: Path, text: str, description: str = "A page.") -> list[str]:
    page = folder / "page.md"
    page.write_text(f"---\ndescription: {description}\n---\n\n{text}\n", encoding="utf-8")
    return [str(problem).partition("page.md:")[2] for problem in check(parse(page))]


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (f"There are two usual reasons:{LIST}", "'two usual reasons', and 3 of them below"),
        (f"有两种办法：{LIST}", "'两种办法', and 3 of them below"),
        (f"Three things decide:{TABLE}", "'Three things', and 2 of them below"),
        (f"原因有三种。常见的情况有四种情况：{TABLE}", "'四种情况', and 2 of them below"),
        ("Look through the six usual causes below.", "'six usual causes' of something"),
        ("再对照下面六种常见的原因。", "'六种常见的原因' of something"),
        ("按后面的三条规则。", "'三条规则' of something"),
        ("The following four errors are usual.", "'four errors' of something"),
    ],
)
def test_a_count_that_is_wrong_or_far_from_what_it_counts_is_told(
    tmp_path: Path, text: str, told: str
) -> None:
    (problem,) = found(tmp_path, text)
    assert told in problem and problem.startswith("5: ")


@pytest.mark.parametrize(
    "text",
    [
        f"There are three reasons:{LIST}",
        f"有三种办法：{LIST}",
        f"Two things decide:{TABLE}",
        f"There are two ways. The first has these reasons:{LIST}",
        "There are two ways. Take the first.",
        f"It needs two things, a and b:\n\n```text\na\n```{LIST}",
        "Call `f('the six causes below')`.",
        "下面的三个张量在 GPU 上。",
    ],
)
def test_a_count_that_agrees_or_counts_nothing_listed_is_let_be(tmp_path: Path, text: str) -> None:
    assert not found(tmp_path, text)


def test_a_description_counts_nothing(tmp_path: Path) -> None:
    (problem,) = found(tmp_path, "Text.", "Why it appears - six usual causes, each with code.")
    assert problem.startswith("2: ") and "leave the number out" in problem
