"""Tables on a phone: no name is broken, and one that is too wide shows that it scrolls."""

from __future__ import annotations

import pytest
from browser import PHONE, WINDOW, resize
from playwright.sync_api import Page

PATHS = ("to/", "multi-gpu/which-tool/", "install/windows/", "speed/", "current-device/")

BROKEN = """() => {
  const found = [];
  for (const code of document.querySelectorAll("article table:not([class]) code")) {
    const walker = document.createTreeWalker(code, NodeFilter.SHOW_TEXT);
    while (walker.nextNode()) {
      for (const word of walker.currentNode.data.matchAll(/[A-Za-z0-9]+/g)) {
        const range = document.createRange();
        range.setStart(walker.currentNode, word.index);
        range.setEnd(walker.currentNode, word.index + word[0].length);
        const tops = new Set([...range.getClientRects()].map(rect => Math.round(rect.top)));
        if (tops.size > 1) found.push(`${word[0]} in ${code.textContent}`);
      }
    }
  }
  return found;
}"""

WIDE = """() => [...document.querySelectorAll(".md-typeset__scrollwrap")]
  .filter(box => box.scrollWidth > box.clientWidth + 1).length"""

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
def test_names_are_whole_and_a_wide_table_shows_that_it_scrolls(
    language: str, page: Page, address: str
) -> None:
    resize(page, PHONE)
    for path in PATHS:
        page.goto(f"{address}{language}/{path}")
        assert page.evaluate(BROKEN) == [], path
        assert not page.evaluate(WIDE), path
    page.goto(f"{address}{language}/install/uv/")
    page.add_style_tag(content=".md-typeset td { min-width: 500px }")
    edge = page.evaluate(EDGE)
    before = page.screenshot(clip=edge)
    page.evaluate(TO_THE_END)
    assert page.screenshot(clip=edge) != before
    resize(page, WINDOW)
