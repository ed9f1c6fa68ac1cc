"""A table that is too wide for a phone shows that it scrolls."""

from __future__ import annotations

import pytest
from browser import PHONE, WINDOW, resize
from playwright.sync_api import Page

EDGE = """() => {
  const box = [...document.querySelectorAll(".md-typeset__scrollwrap")]
    .find(box => box.scrollWidth > box.clientWidth + 1);
  box.scrollIntoView({ block: "end" });
  const { right, bottom } = box.getBoundingClientRect();
  const x = Math.min(right, innerWidth) - 6;
  return { x, y: Math.min(bottom, innerHeight) - 30, width: 5, height: 20 };
}"""

TO_THE_END = """() => {
  const box = [...document.querySelectorAll(".md-typeset__scrollwrap")]
    .find(box => box.scrollWidth > box.clientWidth + 1);
  box.scrollLeft = box.scrollWidth;
}"""


@pytest.mark.browser
@pytest.mark.parametrize("language", ["zh", "en"])
def test_a_wide_table_shows_that_it_scrolls(language: str, page: Page, address: str) -> None:
    resize(page, PHONE)
    page.goto(f"{address}{language}/install/uv/")
    page.add_style_tag(content=".md-typeset td { min-width: 500px }")
    edge = page.evaluate(EDGE)
    before = page.screenshot(clip=edge)
    page.evaluate(TO_THE_END)
    assert page.screenshot(clip=edge) != before
    resize(page, WINDOW)
